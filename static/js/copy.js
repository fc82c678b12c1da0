/* Buttons that copy the text of the element they name, or an address of this site. */
(() => {
  if (!navigator.clipboard) return;
  const selector = "[data-copy], [data-copy-link]";

  const reveal = () => {
    for (const button of document.querySelectorAll(selector)) button.hidden = false;
  };

  const text = ({ copy, copyLink }) =>
    copyLink
      ? new URL(copyLink, location.href).href
      : document.getElementById(copy).textContent;

  document.addEventListener("click", async (event) => {
    const button = event.target.closest(selector);
    if (!button) return;
    const label = button.textContent;
    if (label === button.dataset.done) return;
    await navigator.clipboard.writeText(text(button.dataset));
    button.textContent = button.dataset.done;
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });

  document.addEventListener("ohb:replaced", reveal);
  reveal();
})();
