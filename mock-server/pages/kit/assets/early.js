/* Runs before the page is shown. Not a module, so that the chosen colours apply at once. */
{
  const chosen = localStorage.getItem('certify theme')
  if (chosen !== null) document.documentElement.dataset['theme'] = chosen
}
