/* A button that copies the text of the element it names. */
(() => {
  for (const button of document.querySelectorAll("[data-copy]")) {
    const target = document.getElementById(button.dataset.copy);
    if (!target || !navigator.clipboard) continue;
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(target.textContent);
      button.textContent = button.dataset.done;
      setTimeout(() => {
        button.textContent = label;
      }, 2000);
    });
  }
})();
