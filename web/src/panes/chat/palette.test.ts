import { expect, test } from "vitest";
import { recoloured } from "./palette";

test("colours of Plotly become those of the app, colours of the author stay", () => {
  const figure = {
    data: [{ marker: { color: "#636EFA" } }, { line: { color: ["#EF553B", "tomato"] }, y: [1, 2] }],
    layout: {
      coloraxis: {
        colorscale: [
          [0, "#0d0887"],
          [1, "#f0f921"],
        ],
      },
      title: { text: "#636efa is blue" },
    },
  };
  expect(recoloured(figure, ["a", "b"], ["low", "high"])).toEqual({
    data: [{ marker: { color: "a" } }, { line: { color: ["b", "tomato"] }, y: [1, 2] }],
    layout: {
      coloraxis: {
        colorscale: [
          [0, "low"],
          [1, "high"],
        ],
      },
      title: { text: "#636efa is blue" },
    },
  });
});
