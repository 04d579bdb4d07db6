// The rules of React's hooks, and those of accessible elements. Types are checked by TypeScript, the style by Prettier.

import parser from "@babel/eslint-parser";
import accessible from "eslint-plugin-jsx-a11y";
import hooks from "eslint-plugin-react-hooks";

export default [
  {
    files: ["src/**/*.{ts,tsx}"],
    ignores: ["src/api/schema.d.ts"],
    plugins: { "react-hooks": hooks, "jsx-a11y": accessible },
    languageOptions: {
      parser,
      parserOptions: {
        requireConfigFile: false,
        babelOptions: { presets: [["@babel/preset-typescript", { allExtensions: true, isTSX: true }]] },
      },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      ...accessible.flatConfigs.recommended.rules,
      // A dialog closes at a click beside it; it has its own key for that.
      "jsx-a11y/no-noninteractive-element-interactions": ["error", { dialog: ["onClick", "onKeyDown"] }],
      // Dialogs move the focus to their first field, and regions that scroll can be reached by keyboard.
      "jsx-a11y/no-autofocus": "off",
      "jsx-a11y/no-noninteractive-tabindex": "off",
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
    },
  },
];
