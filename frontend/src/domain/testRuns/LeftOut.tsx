/** Files of an archive that became no test run, with the reason; shown when asked for. */

import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { leftOutQuery } from '../../api/testRuns'
import type { FileImport } from '../../api/types'
import * as testRunsCopy from '../../copy/testRuns'
import { DataState } from '../../kit/state/DataState'
import { Name } from '../../kit/text/Name'
import { Worded } from '../../kit/text/Worded'
import styles from './TestRuns.module.css'

export function LeftOut({ file }: { file: FileImport }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="inset ruled-below breaks stack gap-4">
      <strong>
        <Name focusable>{file.file_name}</Name>
      </strong>
      <div className="row wrap gap-words">
        <span className="muted">{testRunsCopy.archive(file.runs, file.left_out)}</span>
        <Button
          variant="default"
          size="xs"
          aria-expanded={isOpen}
          aria-label={testRunsCopy.leftOutNamed(file.file_name)}
          onClick={() => setOpen(!isOpen)}
        >
          {testRunsCopy.leftOut}
        </Button>
      </div>
      {isOpen && <Reasons import_id={file.id} />}
    </div>
  )
}

function Reasons({ import_id }: { import_id: number }) {
  const query = useQuery(leftOutQuery(import_id))
  return (
    <DataState query={query} skeleton={<Skeleton height={60} />}>
      {(files) => <ReasonList files={files} />}
    </DataState>
  )
}

export function ReasonList({ files }: { files: readonly { file: string; reason: string }[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={styles.reasons} tabIndex={0} aria-label={testRunsCopy.leftOutList}>
      <ul className={`${styles.list} stack gap-4 small`}>
        {files.map(({ file, reason }) => (
          <li key={`${file} ${reason}`}>
            <strong>{file}</strong>: <Worded>{reason}</Worded>
          </li>
        ))}
      </ul>
    </section>
  )
}
