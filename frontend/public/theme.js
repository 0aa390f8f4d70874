// Runs before the first paint, so that a dark room never sees a white flash. Kept out of index.html: the policy allows no inline script.
;(() => {
  let choice = 'auto'
  try {
    choice = localStorage.getItem('gavel.theme') || 'auto'
  } catch {
    // Storage may be blocked; the system's preference then decides.
  }
  const dark = matchMedia('(prefers-color-scheme: dark)').matches
  const theme = choice === 'auto' ? (dark ? 'dark' : 'light') : choice
  document.documentElement.dataset.theme = theme
  document.documentElement.dataset.mantineColorScheme = theme === 'light' ? 'light' : 'dark'
})()
