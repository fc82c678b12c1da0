/* Light, dark or as the system says. Runs before the first paint, so that nothing flashes. */
(() => {
  const root = document.documentElement;
  const ORDER = ["auto", "light", "dark"];

  const stored = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // Storage is switched off: the system's choice stands.
    }
  };

  const apply = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };

  const start = () => {
    const button = document.querySelector("[data-theme-switch]");
    if (!button) return;
    const show = (theme) => {
      const text = button.dataset[`label${theme[0].toUpperCase()}${theme.slice(1)}`];
      button.title = text;
      button.setAttribute("aria-label", text);
      for (const icon of button.querySelectorAll("[data-icon]")) {
        icon.toggleAttribute("hidden", icon.dataset.icon !== theme);
      }
    };
    const current = () => root.dataset.theme ?? "auto";
    button.hidden = false;
    show(current());
    button.addEventListener("click", () => {
      const next = ORDER[(ORDER.indexOf(current()) + 1) % ORDER.length];
      apply(next);
      try {
        localStorage.setItem("theme", next);
      } catch {
        // The choice holds for this page only.
      }
      show(next);
    });
  };

  apply(stored());
  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", start);
  } else {
    start();
  }
})();
