// A link to a cell opens the folds around it, and the filter hides cells; the page is whole without this.
function show() {
  let at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let fold = at; fold; fold = fold.parentElement) if (fold.tagName === "DETAILS") fold.open = true;
  if (at) at.scrollIntoView();
}
addEventListener("hashchange", show);
show();

const filter = document.getElementById("filter");
const groups = [...document.querySelectorAll(".group")];
function narrow() {
  const words = filter.words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const verdicts = new Set([...filter.querySelectorAll("[name=verdict]:checked")].map((box) => box.value));
  const all = verdicts.size === filter.querySelectorAll("[name=verdict]").length;
  let left = 0;
  for (const group of groups) {
    let some = 0;
    for (const cell of group.querySelectorAll(":scope > .cell")) {
      const text = cell.textContent.toLowerCase();
      const shown = verdicts.has(cell.dataset.verdict) && words.every((word) => text.includes(word));
      cell.hidden = !shown;
      some += shown;
    }
    group.hidden = !some;
    group.open = some && (words.length > 0 || !all);
    left += some;
  }
  filter.querySelector("output").textContent = `${left} cells`;
}
filter.hidden = false;
filter.addEventListener("input", narrow);
filter.addEventListener("submit", (event) => event.preventDefault());
