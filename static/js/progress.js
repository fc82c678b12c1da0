/* Keeps the progress of a submission fresh: asks for JSON with the last ETag, less and
   less often while nothing changes, and not at all while nobody looks. Without it, the
   page reloads itself. */
(() => {
  const shortest = 3000;
  const longest = 15000;
  const announceEvery = 10000;
  const holder = document.querySelector("[data-progress-url]");
  const status = document.querySelector("[data-progress-status]");
  if (!holder) return;

  let pause = shortest;
  let etag = "";
  let timer = 0;
  let announcedAt = Date.now();

  const ask = async () => {
    const headers = etag ? { "If-None-Match": etag } : {};
    const response = await fetch(holder.dataset.progressUrl, {
      cache: "no-store",
      headers,
    });
    if (response.status === 304) return null;
    if (!response.ok || response.redirected) throw new Error(String(response.status));
    etag = response.headers.get("ETag") ?? "";
    return response.json();
  };

  const show = (answer) => {
    // The end changes more than the counts: actions and state come with a new page.
    if (!answer.undecided) return location.reload();
    const page = new DOMParser().parseFromString(answer.html, "text/html");
    const fresh = page.querySelector("[data-progress]");
    if (!fresh) throw new Error("no progress");
    const href = holder.contains(document.activeElement)
      ? document.activeElement.getAttribute("href")
      : null;
    for (const each of holder.querySelectorAll("details[open]")) {
      fresh.querySelector(`#${each.id}`)?.setAttribute("open", "");
    }
    holder.replaceChildren(fresh);
    if (href) {
      const links = [...holder.querySelectorAll("a")];
      links.find((link) => link.getAttribute("href") === href)?.focus();
    }
    if (status && Date.now() - announcedAt >= announceEvery) {
      announcedAt = Date.now();
      status.textContent = answer.announcement;
    }
  };

  const refresh = async () => {
    try {
      const answer = await ask();
      if (answer) {
        pause = shortest;
        show(answer);
      } else {
        pause = Math.min(pause * 1.4, longest);
      }
    } catch {
      pause = longest;
    }
    wait();
  };

  const wait = () => {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(refresh, pause);
  };

  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (!document.hidden) refresh();
  });
  wait();
})();
