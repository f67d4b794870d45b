// The pages work without this: it adds copy buttons and the filter, and opens the contents where there is room for them.

const contents = document.querySelector('.contents');
const wide = window.matchMedia('(min-width: 60rem)');
const fit = () => {
  contents.open = wide.matches;
};
wide.addEventListener('change', fit);
fit();

document.addEventListener('click', async ({ target }) => {
  if (!(target instanceof HTMLButtonElement) || !target.classList.contains('copy')) return;
  try {
    await navigator.clipboard.writeText(target.nextElementSibling.textContent);
    target.textContent = 'Copied';
  } catch {
    // A page over plain HTTP has no clipboard: the text is selected instead.
    window.getSelection().selectAllChildren(target.nextElementSibling);
    target.textContent = 'Selected';
  }
  setTimeout(() => {
    target.textContent = 'Copy';
  }, 2_000);
});

const filter = document.querySelector('#filter');
if (filter !== null) {
  filter.closest('[hidden]').hidden = false;
  filter.addEventListener('input', () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const group of document.querySelectorAll('.group')) {
      let shown = 0;
      for (const row of group.querySelectorAll('.operations > li')) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        if (!row.hidden) shown += 1;
      }
      group.hidden = shown === 0;
      count += shown;
    }
    document.querySelector('#matches').textContent =
      words.length === 0 ? '' : `${count} operation${count === 1 ? '' : 's'}`;
  });
}
