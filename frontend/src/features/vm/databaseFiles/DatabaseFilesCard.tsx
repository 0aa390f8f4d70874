/** Files of databases in the VM: how long the database waited per I/O, beside the guest's disk that holds the file. */

import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { databaseFilesQuery } from '../../../api/databaseFiles'
import type { DatabaseFile } from '../../../api/types'
import * as copy from '../../../copy/databaseFiles'
import { Card } from '../../../kit/layout/Card'
import { DataState } from '../../../kit/state/DataState'
import { Name } from '../../../kit/text/Name'
import { formatLatency, formatRate, NOT_MEASURED } from '../../../lib/units'
import { useTrend } from '../../../lib/url'
import styles from './DatabaseFiles.module.css'
import { rowsOf, sentencesOf } from './waits'

export function DatabaseFilesCard({ id }: { id: number }) {
  const query = useQuery(databaseFilesQuery(id, useTrend()))
  return (
    <Card title={copy.title} hint={copy.hint} flush>
      <DataState
        query={query}
        skeleton={<Skeleton height={120} m="md" />}
        empty={({ items }) => (items.length === 0 ? { title: copy.empty, text: copy.emptyText } : null)}
      >
        {({ items }) => <FilesTable files={items} />}
      </DataState>
    </Card>
  )
}

function FilesTable({ files }: { files: readonly DatabaseFile[] }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className="scroll-x relative" tabIndex={0} aria-label={copy.scrolls}>
        <table className={`lines flush ${styles.files}`} aria-label={copy.table}>
          <thead>
            <tr>
              <th scope="col">{copy.file}</th>
              <th scope="col">{copy.ios}</th>
              {[copy.iops, copy.database, copy.guestDisk].map((figure) => (
                <th key={figure} scope="col" className="right numeric">
                  {figure}
                </th>
              ))}
              <th scope="col">{copy.diskName}</th>
            </tr>
          </thead>
          {files.map((file) => (
            <FileRows key={file.id} file={file} />
          ))}
        </table>
      </section>
      <p className="quiet pretty inset">{copy.meaning}</p>
    </>
  )
}

function FileRows({ file }: { file: DatabaseFile }) {
  const rows = rowsOf(file)
  return (
    <tbody>
      {rows.map(({ direction, iops, database_us, disk_us }, index) => (
        <tr key={direction}>
          {index === 0 && (
            <th scope="rowgroup" rowSpan={rows.length}>
              <FileHead file={file} />
            </th>
          )}
          <td>{copy.directions[direction]}</td>
          <td className="right numeric">{iops === null ? <Unmeasured /> : formatRate(iops)}</td>
          <td className="right numeric">{database_us === null ? <Unmeasured /> : formatLatency(database_us)}</td>
          <td className="right numeric">{disk_us === null ? <Unmeasured /> : formatLatency(disk_us)}</td>
          {index === 0 && (
            <td rowSpan={rows.length}>
              <DiskName file={file} />
            </td>
          )}
        </tr>
      ))}
    </tbody>
  )
}

function FileHead({ file }: { file: DatabaseFile }) {
  return (
    <div className={`${styles.file} stack gap-4`}>
      <Name focusable>{file.name}</Name>
      {file.path !== null && <span className="muted small breaks">{file.path}</span>}
      {sentencesOf(file).map((sentence) => (
        <span key={sentence} className="small pretty">
          {sentence}
        </span>
      ))}
    </div>
  )
}

function DiskName({ file: { disk } }: { file: DatabaseFile }) {
  if (disk === null)
    return (
      <span className="faint" title={copy.noDiskHint}>
        {copy.noDisk}
      </span>
    )
  return (
    <Name focusable>{disk.vm_disk_label === null ? disk.name : copy.virtualDisk(disk.name, disk.vm_disk_label)}</Name>
  )
}

const Unmeasured = () => <span className="faint">{NOT_MEASURED}</span>
