/** What keeps messages back: silences, for some hours and with a reason, and maintenance windows, once or again and again. */

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { endSilence, removeMaintenance, removeSilence } from '../../../api/alertCommands'
import { maintenanceQuery, silencesQuery } from '../../../api/alerts'
import { useSession } from '../../../api/session'
import type { MaintenanceOut, SilenceOut } from '../../../api/types'
import * as navigationCopy from '../../../copy/navigation'
import * as silencesCopy from '../../../copy/silences'
import { Card } from '../../../kit/layout/Card'
import { Icon } from '../../../kit/mark/Icon'
import { onPress, useAhead } from '../../../kit/schedule/onPress'
import { DataState } from '../../../kit/state/DataState'
import { Failure } from '../../../kit/state/Failure'
import { VirtualTable } from '../../../kit/table/VirtualTable'
import { Name } from '../../../kit/text/Name'
import { serverNow } from '../../../lib/clock'
import { usePreferences } from '../../../lib/preferences'
import styles from '../Alerts.module.css'
import { AlertsFrame } from '../AlertsFrame'
import { RowsSkeleton } from '../RowsSkeleton'
import { useAlertCommand } from '../useAlertCommand'
import { matchersWords, NEW_MATCHERS } from './matchers'
import { SILENCE_ROW_PX, silenceColumns, windowColumns } from './silenceColumns'

const RemoveDialog = onPress(async () => (await import('../RemoveDialog')).RemoveDialog)
const MaintenanceDialog = onPress(async () => (await import('./MaintenanceDialog')).MaintenanceDialog)
const SilenceDialog = onPress(async () => (await import('./SilenceDialog')).SilenceDialog)

type Dialog =
  | { kind: 'add-silence' | 'add-window' }
  | { kind: 'remove-silence'; silence: SilenceOut }
  | { kind: 'edit-window' | 'remove-window'; window: MaintenanceOut }
  | null

export default function SilencesPage() {
  useAhead(RemoveDialog, MaintenanceDialog, SilenceDialog)
  const { isAdmin } = useSession()
  const [dialog, setDialog] = useState<Dialog>(null)
  const close = () => setDialog(null)
  const addSilence = (
    <Button leftSection={<Icon name="plus" />} disabled={!isAdmin} onClick={() => setDialog({ kind: 'add-silence' })}>
      {silencesCopy.add}
    </Button>
  )
  const addWindow = (
    <Button variant="default" disabled={!isAdmin} onClick={() => setDialog({ kind: 'add-window' })}>
      {silencesCopy.addWindow}
    </Button>
  )
  return (
    <AlertsFrame
      title={navigationCopy.silences}
      todo={silencesCopy.todo}
      actions={
        <>
          {addWindow}
          {addSilence}
        </>
      }
    >
      <SilencesCard add={addSilence} onOpen={setDialog} />
      <WindowsCard add={addWindow} onOpen={setDialog} />
      {dialog?.kind === 'add-silence' && <SilenceDialog matchers={NEW_MATCHERS} onClose={close} />}
      {dialog?.kind === 'add-window' && <MaintenanceDialog window={null} onClose={close} />}
      {dialog?.kind === 'edit-window' && <MaintenanceDialog window={dialog.window} onClose={close} />}
      {dialog?.kind === 'remove-silence' && (
        <RemoveDialog title={silencesCopy.removeTitle} command={() => removeSilence(dialog.silence.id)} onClose={close}>
          {silencesCopy.removeSilence}{' '}
          <strong>
            <Name whole>{matchersWords(dialog.silence.matchers)}</Name>
          </strong>{' '}
          {silencesCopy.removeText}
        </RemoveDialog>
      )}
      {dialog?.kind === 'remove-window' && (
        <RemoveDialog
          title={silencesCopy.removeWindowTitle}
          command={() => removeMaintenance(dialog.window.id)}
          onClose={close}
        >
          <strong>
            <Name whole>{dialog.window.name}</Name>
          </strong>{' '}
          {silencesCopy.removeWindowText}
        </RemoveDialog>
      )}
    </AlertsFrame>
  )
}

interface CardProps {
  add: ReactNode
  /** Always the same function: other columns would be other cells, and the focus in them be lost. */
  onOpen: (dialog: Dialog) => void
}

function SilencesCard({ add, onOpen }: CardProps) {
  const query = useQuery(silencesQuery())
  const { isAdmin } = useSession()
  const { zone } = usePreferences()
  const { mutate, error } = useAlertCommand((silence: SilenceOut) =>
    endSilence(silence.id, new Date(serverNow()).toISOString()),
  )
  const columns = useMemo(() => {
    const onRemove = (silence: SilenceOut) => onOpen({ kind: 'remove-silence', silence })
    return silenceColumns(zone, isAdmin ? { onEnd: mutate, onRemove } : null)
  }, [zone, isAdmin, mutate, onOpen])
  return (
    <>
      <Failure title={silencesCopy.endFailed} error={error} />
      <Card title={navigationCopy.silences} flush>
        <DataState
          query={query}
          skeleton={<RowsSkeleton columns={columns} rows={3} rowPx={SILENCE_ROW_PX} />}
          empty={(silences) =>
            silences.length > 0
              ? null
              : {
                  title: silencesCopy.noneYet,
                  text: silencesCopy.noneYetText,
                  action: add,
                }
          }
        >
          {(silences) => (
            <div className={styles.wholeOnPhones}>
              <VirtualTable
                label={navigationCopy.silences}
                columns={columns}
                count={silences.length}
                rowAt={(index) => silences[index]}
                rowKey={(silence) => String(silence.id)}
                rowPx={SILENCE_ROW_PX}
              />
            </div>
          )}
        </DataState>
      </Card>
    </>
  )
}

function WindowsCard({ add, onOpen }: CardProps) {
  const query = useQuery(maintenanceQuery())
  const { isAdmin } = useSession()
  const { zone } = usePreferences()
  const columns = useMemo(() => {
    const actions = {
      onEdit: (window: MaintenanceOut) => onOpen({ kind: 'edit-window', window }),
      onRemove: (window: MaintenanceOut) => onOpen({ kind: 'remove-window', window }),
    }
    return windowColumns(zone, isAdmin ? actions : null)
  }, [zone, isAdmin, onOpen])
  return (
    <Card title={silencesCopy.windows} flush>
      <DataState
        query={query}
        skeleton={<RowsSkeleton columns={columns} rows={3} rowPx={SILENCE_ROW_PX} />}
        empty={(windows) =>
          windows.length > 0
            ? null
            : {
                title: silencesCopy.noWindows,
                text: silencesCopy.noWindowsText,
                action: add,
              }
        }
      >
        {(windows) => (
          <div className={styles.wholeOnPhones}>
            <VirtualTable
              label={silencesCopy.windows}
              columns={columns}
              count={windows.length}
              rowAt={(index) => windows[index]}
              rowKey={(window) => String(window.id)}
              rowPx={SILENCE_ROW_PX}
            />
          </div>
        )}
      </DataState>
    </Card>
  )
}
