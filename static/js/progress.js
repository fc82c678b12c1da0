/* Keeps the progress of a submission fresh. Without it, the page reloads itself. */
(() => {
  const shortest = 3000;
  const longest = 15000;
  let pause = shortest;

  const refresh = async () => {
    if (document.hidden) return wait();
    try {
      const response = await fetch(location.href, { cache: "no-store" });
      if (!response.ok) throw new Error(String(response.status));
      const text = await response.text();
      const page = new DOMParser().parseFromString(text, "text/html");
      const fresh = page.querySelector("[data-progress]");
      if (!fresh) throw new Error("no progress");
      // The end changes more than the counts: actions and state come with a new page.
      if (!("undecided" in fresh.dataset)) return location.reload();
      const shown = document.querySelector("[data-progress]");
      if (shown.textContent === fresh.textContent) {
        pause = Math.min(pause * 1.4, longest);
      } else {
        pause = shortest;
        shown.replaceWith(fresh);
      }
    } catch {
      pause = longest;
    }
    wait();
  };

  const wait = () => setTimeout(refresh, pause);
  wait();
})();
