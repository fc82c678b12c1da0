/* Draws the figures of the page with Plotly, in the colors of the reader's theme. */
(() => {
  const token = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  // On a phone names would cover the marks; a touch shows them.
  const unnamed = (trace) => ({ ...trace, mode: trace.mode?.replace("+text", "") });

  const colored = (trace) => {
    const color = token(trace.meta.tone);
    const marker = { ...trace.marker, color };
    const line = { ...trace.line, color };
    const error = trace.error_y && { ...trace.error_y, color: token("line-strong") };
    return trace.type === "bar"
      ? { ...trace, marker }
      : { ...trace, marker, line, ...(error && { error_y: error }) };
  };

  const axis = (given) => ({
    ...given,
    gridcolor: token("line"),
    linecolor: token("line-strong"),
    tickcolor: token("line-strong"),
  });

  const draw = (place) => {
    const { data, layout } = JSON.parse(
      document.getElementById(place.dataset.figure).textContent,
    );
    const { fontFamily } = getComputedStyle(document.body);
    const narrow = place.clientWidth < 480;
    window.Plotly.react(
      place,
      (narrow ? data.map(unnamed) : data).map(colored),
      {
        ...layout,
        font: { family: fontFamily, size: 13, color: token("muted") },
        hoverlabel: { bgcolor: token("surface"), font: { color: token("ink") } },
        xaxis: axis(layout.xaxis),
        yaxis: axis(layout.yaxis),
      },
      { responsive: true, displayModeBar: false, showTips: false },
    );
    place.querySelector(".plot-room")?.remove();
  };

  const drawAll = () => {
    for (const place of document.querySelectorAll("[data-figure]")) draw(place);
  };

  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  new MutationObserver(drawAll).observe(document.documentElement, {
    attributeFilter: ["data-theme"],
  });
})();
