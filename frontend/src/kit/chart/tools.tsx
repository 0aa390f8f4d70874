/** The buttons of a chart and of what is a picture without being one: numbers, files, a link that stays. */

import { ActionIcon } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import * as chartsCopy from '../../copy/charts'
import { type CsvCell, toCsv } from '../../lib/csv'
import { Icon, type IconName } from '../mark/Icon'
import { download, fileStem } from './download'
import { permalink } from './timeChart'

/** Raw numbers for a spreadsheet. */
export interface CsvTable {
  header: string[]
  rows: CsvCell[][]
}

export const Tools = ({ children }: { children: ReactNode }) => <div className="flex gap-2">{children}</div>

interface ToolProps {
  icon: IconName
  label: string
  onClick: () => void
}

export function Tool({ icon, label, onClick }: ToolProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      c="var(--gv-muted)"
      size="md"
      aria-label={label}
      data-tip={label}
      onClick={onClick}
    >
      <Icon name={icon} />
    </ActionIcon>
  )
}

/** Between a picture and the table of its numbers. */
export const TurnTable = ({ asTable, onTurn }: { asTable: boolean; onTurn: () => void }) => (
  <Tool
    icon={asTable ? 'chart' : 'table'}
    label={asTable ? chartsCopy.showChart : chartsCopy.showTable}
    onClick={onTurn}
  />
)

/** `title`: of the file. */
export function SaveCsv({ title, csv }: { title: string; csv: () => CsvTable }) {
  function save() {
    const { header, rows } = csv()
    download(new Blob([toCsv(header, rows)], { type: 'text/csv;charset=utf-8' }), `${fileStem(title)}.csv`)
  }
  return <Tool icon="download" label={chartsCopy.saveCsv} onClick={save} />
}

/** The window whose numbers are shown: its link shows everyone the same. */
export interface ShownWindow {
  from_ms: number
  to_ms: number
}

/** Made when it is copied: what else the address says may have changed since this was drawn. */
export function CopyLink({ from_ms, to_ms }: ShownWindow) {
  const [copied, setCopied] = useState(false)
  async function copy() {
    await navigator.clipboard.writeText(permalink(from_ms, to_ms))
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }
  return (
    <Tool
      icon={copied ? 'check' : 'link'}
      label={copied ? chartsCopy.linkCopied : chartsCopy.copyLink}
      onClick={() => void copy()}
    />
  )
}
