/** On every page of an offline environment: which it is, of when, and from what; and the way back. */

import * as offlineCopy from '../copy/offline'
import { Icon } from '../kit/mark/Icon'
import type { OfflineEnvironment } from '../lib/offline'
import { usePreferences } from '../lib/preferences'
import { formatWindow } from '../lib/time'
import styles from './Layout.module.css'

export default function OfflineNote({ environment }: { environment: OfflineEnvironment }) {
  const { zone } = usePreferences()
  const window = formatWindow(Date.parse(environment.from_at), Date.parse(environment.to_at), zone)
  return (
    <aside className={`${styles.banner} row wrap gap-wrap`} aria-label={offlineCopy.noteTitle(environment.name)}>
      <p className="pretty">
        <span className="inline" data-tone="warn">
          <Icon name="frozen" />
        </span>{' '}
        <strong>{offlineCopy.noteTitle(environment.name)}</strong>{' '}
        <span className="breaks">{offlineCopy.noteText(window, environment.files.join(', '))}</span>
      </p>
      {/* Another application below another path: the browser has to go there. */}
      <a href={environment.live_path} className={styles.way}>
        {offlineCopy.openLive}
      </a>
    </aside>
  )
}
