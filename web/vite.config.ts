import react from "@vitejs/plugin-react";
import { loadEnv } from "vite";
import { defineConfig } from "vitest/config";

// The service to work against with `npm run dev`; the built app is served by it and needs none of this.
const service = loadEnv("", ".", "GRAPHWRIGHT_").GRAPHWRIGHT_SERVICE ?? "http://127.0.0.1:8420";

// KaTeX names each font in three formats; every browser that runs the app reads the first.
const modernFontsOnly = {
  name: "modern-fonts-only",
  enforce: "pre" as const,
  transform: (code: string, id: string) =>
    id.includes("katex") && id.endsWith(".css")
      ? code.replace(/,\s*url\([^)]+\.(?:woff|ttf)\)\s*format\("[^"]+"\)/g, "")
      : undefined,
};

export default defineConfig({
  // Relative addresses: the app also works behind a proxy, below any path.
  base: "./",
  plugins: [react(), modernFontsOnly],
  server: { host: "127.0.0.1", proxy: { "/api": { target: service, changeOrigin: true } } },
  build: {
    outDir: "../packages/graphwright-server/src/graphwright_server/static",
    emptyOutDir: true,
    manifest: true, // read by scripts/bundle-size.mjs
    target: "es2022",
    chunkSizeWarningLimit: 6000, // Plotly, which is loaded when there is a figure
    reportCompressedSize: false,
  },
  // A property test may take longer on a busy machine than the five seconds of the default.
  test: { environment: "node", include: ["src/**/*.test.ts"], testTimeout: 60_000 },
});
