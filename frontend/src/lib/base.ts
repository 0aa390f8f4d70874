/** Where Gavel lies on its host: '' on its own, '/gavel' below a path of a reverse proxy. The server writes it into index.html. */

// As it stands in the file, where nobody has written it in: the development server, tests.
const UNWRITTEN = '__BASE_PATH__'

export function basePathOf(root: { dataset: DOMStringMap }): string {
  const written = root.dataset.base ?? ''
  return written === UNWRITTEN ? '' : written
}

export const BASE_PATH = typeof document === 'undefined' ? '' : basePathOf(document.documentElement)

/** An address of Gavel's own, which begins with a slash, as the browser has to ask for it. */
export const ownAddress = (path: `/${string}`): string => `${BASE_PATH}${path}`
