// A link to a cell opens the folds around it; the page is whole without this.
function show() {
  let at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let fold = at; fold; fold = fold.parentElement) if (fold.tagName === "DETAILS") fold.open = true;
  if (at) at.scrollIntoView();
}
addEventListener("hashchange", show);
show();
