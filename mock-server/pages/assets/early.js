/* Runs before the page is seen: it is no module, so that the chosen colours are there at once. */
{
  const chosen = localStorage.getItem('certify theme')
  if (chosen !== null) document.documentElement.dataset['theme'] = chosen
}
