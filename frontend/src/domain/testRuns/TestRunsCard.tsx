/** Test runs of a VM, a datastore or a volume: imported here, listed beside the layers of their minutes, two of them compared, and removed. */

import { Button, Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { importsQuery } from '../../api/queries'
import { useSession } from '../../api/session'
import { RUNS_PER_PAGE, type Tied, testRunsQuery } from '../../api/testRuns'
import type { FileImport, TestRun } from '../../api/types'
import * as importsCopy from '../../copy/imports'
import * as objectsCopy from '../../copy/objects'
import * as testRunsCopy from '../../copy/testRuns'
import { Card } from '../../kit/layout/Card'
import { StateMark } from '../../kit/mark/StateMark'
import { onPress, useAhead } from '../../kit/schedule/onPress'
import { DataState } from '../../kit/state/DataState'
import { Name } from '../../kit/text/Name'
import { Worded } from '../../kit/text/Worded'
import { CardSkeleton } from '../diagnosis/Skeletons'
import { DropArea, Uploads, useUploads } from '../imports/Uploads'
import { KIND } from '../kinds'
import { ChangesCard } from './ChangesCard'
import { LeftOut } from './LeftOut'
import { ResultChoice, type VirtualDisk } from './ResultChoice'
import { RunsTable } from './RunsTable'
import { FIRST_CHOICE, targetOf } from './resultTools'
import { withLogs } from './withLogs'

const RemoveImportDialog = onPress(async () => (await import('../imports/RemoveImportDialog')).RemoveImportDialog)

const RunLatencyCard = lazy(async () => ({ default: (await import('./RunLatencyCard')).RunLatencyCard }))

const RESULT_FILES = '.json,.gz,.txt,.html,.xml,.csv,.log,.zip,.tar'

interface TestRunsCardProps {
  to: Tied
  /** Of a VM: its virtual disks, to tie a run to one of them. */
  disks?: readonly VirtualDisk[]
}

const KEYS = { vms: 'vm_id', datastores: 'datastore_id', volumes: 'volume_id' } as const

export function TestRunsCard({ to, disks }: TestRunsCardProps) {
  useAhead(RemoveImportDialog)
  const { isAdmin } = useSession()
  const [offset, setOffset] = useState(0)
  const query = useQuery(testRunsQuery(to, offset))
  const { all, imports } = useImports(to)
  const [choice, setChoice] = useState(FIRST_CHOICE)
  const { sending, send } = useUploads(imports, { [KEYS[to.kind]]: to.id, ...targetOf(choice) })
  const [selected, setSelected] = useState<readonly number[]>([])
  const [charted_id, setCharted] = useState<number | null>(null)
  const charted = query.data?.items.find(({ run }) => run.id === charted_id)
  const [removed_id, setRemoved] = useState<number | null>(null)
  const removed = all.find((each) => each.id === removed_id)
  const unread = imports.filter(({ state }) => state !== 'ready')
  const partial = imports.filter(({ state, left_out }) => state === 'ready' && left_out > 0)
  const isEmpty = sending.length === 0 && unread.length === 0
  const toggle = (run_id: number) =>
    setSelected((all) => (all.includes(run_id) ? all.filter((each) => each !== run_id) : [...all.slice(-1), run_id]))
  const emptyText = isAdmin ? testRunsCopy.emptyText[to.kind] : testRunsCopy.emptyReader[to.kind]
  return (
    <div className="stack gap-16 narrow">
      <Card title={objectsCopy.testRuns} hint={testRunsCopy.hint[to.kind]} flush>
        {removed && <RemoveImportDialog file={removed} onClose={() => setRemoved(null)} />}
        {isAdmin && (
          <>
            <ResultChoice disks={disks} choice={choice} onChoice={setChoice} />
            <DropArea
              drop={testRunsCopy.drops[choice.tool]}
              accept={RESULT_FILES}
              onFiles={(files) => void send(withLogs(files, choice.tool))}
            />
          </>
        )}
        {sending.length > 0 && <Uploads sending={sending} />}
        {unread.length > 0 && <Unread imports={unread} onRemove={isAdmin ? setRemoved : null} />}
        {partial.map((file) => (
          <LeftOut key={file.id} file={file} />
        ))}
        <DataState
          query={query}
          skeleton={<Skeleton height={160} m="md" />}
          empty={({ total }) => (total === 0 && isEmpty ? { title: testRunsCopy.empty, text: emptyText } : null)}
        >
          {({ items, total }) => (
            <>
              {items.length > 0 && (
                <RunsTable
                  kind={to.kind}
                  runs={items}
                  selected={selected}
                  onSelect={toggle}
                  charted={charted_id}
                  onChart={setCharted}
                  onRemove={isAdmin ? ({ run }: TestRun) => setRemoved(run.import_id) : null}
                />
              )}
              <Pages offset={offset} total={total} onOffset={setOffset} />
            </>
          )}
        </DataState>
      </Card>
      {charted !== undefined && (
        <Suspense fallback={<CardSkeleton height={420} />}>
          <RunLatencyCard to={to} run={charted.run} />
        </Suspense>
      )}
      <Changes to={to} selected={selected} runs={query.data?.items ?? []} />
    </div>
  )
}

interface Imports {
  /** Also those of other objects: a run of a VM may have come with the archive of its datastore. */
  all: readonly FileImport[]
  imports: readonly FileImport[]
}

/** Those of this object; when one has been read, runs are asked for. */
function useImports({ kind, id }: Tied): Imports {
  const client = useQueryClient()
  const all = useQuery(importsQuery()).data ?? []
  const imports = all.filter(
    ({ subject }) => subject !== null && subject.kind === KIND[kind].subject && subject.id === id,
  )
  const ready = imports
    .filter(({ state }) => state === 'ready')
    .map(({ id }) => id)
    .join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for again whenever others are ready
  useEffect(() => {
    void client.invalidateQueries({ queryKey: ['test-runs'] })
  }, [client, ready])
  return { all, imports }
}

interface UnreadProps {
  imports: readonly FileImport[]
  onRemove: ((import_id: number) => void) | null
}

function Unread({ imports, onRemove }: UnreadProps) {
  return (
    <ul className="ruled" aria-label={importsCopy.list}>
      {imports.map(({ id, file_name, state, error }) => (
        <li key={id} className="inset ruled-below breaks stack gap-4">
          <strong>
            <Name focusable>{file_name}</Name>
          </strong>
          <StateMark tone={state === 'failed' ? 'bad' : 'calm'} word={importsCopy.states[state]} />
          {error !== null && (
            <p>
              <Worded>{error}</Worded>
            </p>
          )}
          {onRemove !== null && (
            <Button
              variant="default"
              size="xs"
              w="fit-content"
              aria-label={testRunsCopy.removeNamed(file_name)}
              onClick={() => onRemove(id)}
            >
              {testRunsCopy.remove}
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}

interface PagesProps {
  offset: number
  total: number
  onOffset: (offset: number) => void
}

function Pages({ offset, total, onOffset }: PagesProps) {
  if (total <= RUNS_PER_PAGE && offset === 0) return null
  const last = Math.min(total, offset + RUNS_PER_PAGE)
  return (
    <div className="row wrap inset gap-words">
      <Button
        variant="default"
        size="xs"
        disabled={offset === 0}
        onClick={() => onOffset(Math.max(0, offset - RUNS_PER_PAGE))}
      >
        {testRunsCopy.newer}
      </Button>
      <Button variant="default" size="xs" disabled={last >= total} onClick={() => onOffset(offset + RUNS_PER_PAGE)}>
        {testRunsCopy.older}
      </Button>
      <span className="muted">{testRunsCopy.pages(Math.min(offset + 1, total), last, total)}</span>
    </div>
  )
}

interface ChangesProps {
  to: Tied
  selected: readonly number[]
  runs: readonly TestRun[]
}

/** The older one is before, whichever was selected first; runs without a time go by their numbers. */
function Changes({ to, selected, runs }: ChangesProps) {
  const [first, second] = selected
  if (first === undefined || second === undefined) return null
  const startedAt = (id: number) => runs.find(({ run }) => run.id === id)?.run.starts_at ?? null
  const [a, b] = [startedAt(first), startedAt(second)]
  const isFirstOlder = a === null || b === null ? first < second : a < b
  return <ChangesCard to={to} before={isFirstOlder ? first : second} after={isFirstOlder ? second : first} />
}
