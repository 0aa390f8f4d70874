/** How far an offline environment is: what came of its files, what was read of them, the step of its making, or why there is none. */

import type { OfflineBuild } from '../../api/types'
import * as offlineCopy from '../../copy/offlineFiles'
import { StateMark } from '../../kit/mark/StateMark'
import { Worded } from '../../kit/text/Worded'
import { formatBytes } from '../../lib/units'

export function BuildProgress({ build }: { build: OfflineBuild }) {
  return (
    <>
      <StateMark tone={build.state === 'failed' ? 'bad' : 'calm'} word={offlineCopy.states[build.state]} />
      {build.error === null ? (
        <p>{build.step ?? filesText(build)}</p>
      ) : (
        <p>
          <Worded>{build.error}</Worded>
        </p>
      )}
      {build.state === 'uploading' && (
        <progress
          className="full"
          style={ACCENT}
          max={sizeOf(build)}
          value={sum(build, 'received_bytes')}
          aria-label={build.name}
        />
      )}
    </>
  )
}

const ACCENT = { accentColor: 'var(--mantine-primary-color-filled)' }

const sum = ({ files }: OfflineBuild, counted: 'received_bytes' | 'read_bytes' | 'size_bytes') =>
  files.filter(({ is_upload }) => is_upload).reduce((total, file) => total + file[counted], 0)

const sizeOf = (build: OfflineBuild) => sum(build, 'size_bytes')

function filesText(build: OfflineBuild): string {
  const size = formatBytes(sizeOf(build))
  return build.state === 'making'
    ? offlineCopy.fileRead(formatBytes(sum(build, 'read_bytes')), size)
    : offlineCopy.uploaded(formatBytes(sum(build, 'received_bytes')), size)
}
