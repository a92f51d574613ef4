/* The colours that somebody has chosen; not a module, so that the page is never seen in others. */
{
  const chosen = localStorage.getItem('certify theme')
  if (chosen !== null) document.documentElement.dataset['theme'] = chosen
}
