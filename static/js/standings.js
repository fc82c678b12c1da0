/* Sorts, filters and switches the leaderboard in place. Without it, links and form do. */
(() => {
  const selector = "[data-standings]";
  const status = document.querySelector("[data-standings-status]");
  let running;

  const replace = async (url, { push = true, focus } = {}) => {
    running?.abort();
    running = new AbortController();
    const region = document.querySelector(selector);
    const open = [...region.querySelectorAll("details[open][id]")].map((each) => each.id);
    region.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(url, { signal: running.signal });
      if (!response.ok) throw new Error(String(response.status));
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const fresh = page.querySelector(selector);
      if (!fresh) throw new Error("no table");
      for (const id of open) fresh.querySelector(`#${CSS.escape(id)}`)?.setAttribute("open", "");
      region.replaceWith(fresh);
      document.dispatchEvent(new Event("ohb:replaced"));
      if (push) history.pushState(null, "", url);
      if (focus) fresh.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
      if (status) status.textContent = fresh.dataset.summary ?? "";
    } catch (error) {
      if (error.name !== "AbortError") location.assign(url);
    }
  };

  const address = (form) => {
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      if (value) query.set(name, query.has(name) ? `${query.get(name)},${value}` : value);
    }
    const text = query.toString().replaceAll("%2C", ",");
    return text ? `?${text}` : location.pathname;
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest(`${selector} a[data-swap]`);
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    replace(link.href, { focus: link.dataset.focus });
  });

  document.addEventListener("change", (event) => {
    const form = event.target.form;
    if (!form?.closest(selector) || ["search", "date"].includes(event.target.type)) return;
    const focus = event.target.dataset.focus;
    replace(new URL(address(form), location.href).href, { focus });
  });

  document.addEventListener("submit", (event) => {
    const form = event.target.closest(`${selector} form`);
    // Another day changes more of the page than the table.
    if (!form || event.submitter?.closest("#day-menu")) return;
    event.preventDefault();
    replace(new URL(address(form), location.href).href, {
      focus: document.activeElement?.dataset.focus,
    });
  });

  addEventListener("popstate", () => replace(location.href, { push: false }));
})();
