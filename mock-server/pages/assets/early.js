/* Runs before the page is seen, and before its modules are there: it is no module itself. */
{
  const { dataset } = document.documentElement
  const chosen = localStorage.getItem('certify theme')
  if (chosen !== null) dataset['theme'] = chosen
  // What somebody sends before the modules are there waits for them: `page.js` sends it.
  document.addEventListener('submit', (event) => {
    const { target } = event
    if (dataset['ready'] !== undefined || !(target instanceof HTMLFormElement)) return
    if (target.dataset['api'] === undefined && target.dataset['endpoint'] === undefined) return
    event.preventDefault()
    if (target.dataset['api'] !== undefined) target.dataset['early'] = ''
  })
}
