/** Whether these pages show an offline environment, made from files, and which: the server writes it into index.html. */

export interface OfflineEnvironment {
  name: string
  /** Whole minutes [from_at, to_at), which its clock stands at the end of. */
  from_at: string
  to_at: string
  files: readonly string[]
  /** What the files do not say, each a sentence. */
  notes: readonly string[]
  /** Where the pages of Gavel itself begin. */
  live_path: string
}

export function offlineOf(root: { dataset: DOMStringMap }): OfflineEnvironment | null {
  const written = root.dataset.offline
  return written === undefined ? null : (JSON.parse(written) as OfflineEnvironment)
}

export const OFFLINE = typeof document === 'undefined' ? null : offlineOf(document.documentElement)
