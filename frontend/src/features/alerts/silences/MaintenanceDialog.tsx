/** Adds or changes a maintenance window: when, how often, and for what. */

import { Autocomplete, Button, Checkbox, Group, NativeSelect, NumberInput, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { addMaintenance, changeMaintenance } from '../../../api/alertCommands'
import type { MaintenanceOut } from '../../../api/types'
import * as commonCopy from '../../../copy/common'
import * as navigationCopy from '../../../copy/navigation'
import * as silencesCopy from '../../../copy/silences'
import { FormDialog } from '../../../kit/form/FormDialog'
import { useProblemFocus } from '../../../kit/form/useProblemFocus'
import { leastWidth } from '../../../kit/layout/columns'
import { Failure } from '../../../kit/state/Failure'
import { serverNow } from '../../../lib/clock'
import { visibleName } from '../../../lib/text'
import { wallClock } from '../../../lib/time'
import { useAlertCommand } from '../useAlertCommand'
import { everythingProblem, MatchedNote } from './MatchedNote'
import { MatchersInput } from './MatchersInput'
import { isEverything, NEW_MATCHERS } from './matchers'
import { TimeOfDay } from './TimeOfDay'
import { bodyOfWindow, draftOfWindow, REPEATS, WEEKDAYS, type WindowDraft, windowProblems } from './when'

const ZONES = Intl.supportedValuesOf('timeZone')

/** From the next full hour on: a window that is over already would hold nothing back. */
const nextHour = () => wallClock(serverNow() + 3_600_000, 'local')

const newWindow = (): WindowDraft => ({
  name: '',
  first_day: nextHour().slice(0, 10),
  starts: `${nextHour().slice(11, 13)}:00`,
  lasts_min: 120,
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  repeat: 'once',
  weekdays: [],
  last_day: '',
  matchers: NEW_MATCHERS,
})

export function MaintenanceDialog({ window, onClose }: { window: MaintenanceOut | null; onClose: () => void }) {
  const [draft, setDraft] = useState<WindowDraft>(() => (window === null ? newWindow() : draftOfWindow(window)))
  const [isMeant, setMeant] = useState(() => window !== null && isEverything(window.matchers))
  const [refusals, setRefusals] = useState(0)
  const set = (patch: Partial<WindowDraft>) => setDraft((before) => ({ ...before, ...patch }))
  const own = windowProblems(draft)
  const everything = everythingProblem(draft.matchers, isMeant)
  const problems = refusals > 0 ? own : new Map<string, string>()
  const form = useProblemFocus(refusals)
  const save = useAlertCommand<void, unknown>(() => {
    const body = bodyOfWindow(draft)
    return window === null ? addMaintenance(body) : changeMaintenance(window.id, body)
  }, onClose)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (own.size === 0 && everything === undefined) save.mutate()
    else setRefusals((before) => before + 1)
  }

  const title = window === null ? silencesCopy.addWindow : commonCopy.editNamed(visibleName(window.name))
  return (
    <FormDialog title={title} size="lg" onClose={onClose}>
      <form ref={form} onSubmit={submit} noValidate>
        <Stack gap="md">
          <p className="muted">{silencesCopy.windowText}</p>
          <TextInput
            label={commonCopy.name}
            withAsterisk
            maxLength={200}
            value={draft.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
            error={problems.get('name')}
            data-autofocus
          />
          <div className="fitted start gap-12" style={leastWidth(150)}>
            <TextInput
              type="date"
              label={draft.repeat === 'once' ? silencesCopy.day : silencesCopy.firstDay}
              value={draft.first_day}
              onChange={(event) => set({ first_day: event.currentTarget.value })}
              error={problems.get('first_day')}
            />
            <TimeOfDay
              label={silencesCopy.from}
              value={draft.starts}
              onChange={(starts) => set({ starts })}
              error={problems.get('starts')}
            />
            <NumberInput
              label={silencesCopy.durationMin}
              min={1}
              max={10_080}
              clampBehavior="none"
              allowDecimal={false}
              value={draft.lasts_min}
              onChange={(lasts_min) => set({ lasts_min })}
              error={problems.get('lasts_min')}
            />
          </div>
          <Autocomplete
            label={navigationCopy.timeZone}
            description={silencesCopy.zoneHint}
            data={ZONES}
            limit={20}
            maxLength={100}
            value={draft.zone}
            onChange={(zone) => set({ zone })}
            error={problems.get('zone')}
          />
          <NativeSelect
            label={silencesCopy.repeats}
            data={REPEATS}
            value={draft.repeat}
            onChange={({ currentTarget: { value } }) =>
              set({ repeat: REPEATS.find((one) => one.value === value)?.value ?? 'once' })
            }
          />
          {draft.repeat === 'weekly' && (
            <Checkbox.Group
              label={silencesCopy.on}
              value={draft.weekdays.map(String)}
              onChange={(days) => set({ weekdays: days.map(Number) })}
              error={problems.get('weekdays')}
            >
              <div className="flex wrap gap-wrap" style={{ marginTop: 6 }}>
                {WEEKDAYS.map((day, index) => (
                  <Checkbox key={day} value={String(index)} label={day} />
                ))}
              </div>
            </Checkbox.Group>
          )}
          {draft.repeat !== 'once' && (
            <TextInput
              type="date"
              label={silencesCopy.lastDay}
              description={silencesCopy.lastDayHint}
              value={draft.last_day}
              onChange={(event) => set({ last_day: event.currentTarget.value })}
            />
          )}
          <MatchersInput
            matchers={draft.matchers}
            onChange={(matchers) => set({ matchers })}
            none={silencesCopy.noCondition}
            problem={problems.get('matchers')}
          />
          <MatchedNote
            matchers={draft.matchers}
            isMeant={isMeant}
            onMean={setMeant}
            problem={refusals > 0 ? everything : undefined}
          />
          <Failure title={commonCopy.notSaved} error={save.error} />
          <Group justify="flex-end">
            <Button type="submit" loading={save.isPending}>
              {window === null ? commonCopy.add : commonCopy.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormDialog>
  )
}
