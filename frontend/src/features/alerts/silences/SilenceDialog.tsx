/** Makes a silence: for what, until when, why, and who says so. */

import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { addSilence } from '../../../api/alertCommands'
import type { Matcher } from '../../../api/types'
import * as alertsCopy from '../../../copy/alerts'
import * as gapsCopy from '../../../copy/gaps'
import * as silencesCopy from '../../../copy/silences'
import { useMyName } from '../../../domain/access/useMyName'
import { FormDialog } from '../../../kit/form/FormDialog'
import { leastWidth } from '../../../kit/layout/columns'
import { Failure } from '../../../kit/state/Failure'
import { serverNow } from '../../../lib/clock'
import { usePreferences } from '../../../lib/preferences'
import { formatInstant, fromWallClock, wallClock, zoneName } from '../../../lib/time'
import { useAlertCommand } from '../useAlertCommand'
import { everythingProblem, MatchedNote } from './MatchedNote'
import { MatchersInput } from './MatchersInput'
import { isHalf } from './matchers'
import { TimeOfDay } from './TimeOfDay'

const MINUTE_MS = 60_000
const LENGTHS = [
  { value: '30', label: silencesCopy.halfHour },
  { value: '60', label: silencesCopy.oneHour },
  { value: '120', label: silencesCopy.twoHours },
  { value: '480', label: silencesCopy.eightHours },
  { value: '1440', label: silencesCopy.oneDay },
  { value: '10080', label: silencesCopy.oneWeek },
  { value: '', label: silencesCopy.untilTime },
]

interface SilenceDialogProps {
  matchers: readonly Matcher[]
  onClose: () => void
}

export function SilenceDialog({ matchers: given, onClose }: SilenceDialogProps) {
  const { zone } = usePreferences()
  const [matchers, setMatchers] = useState<Matcher[]>([...given])
  const [isMeant, setMeant] = useState(false)
  const [length, setLength] = useState('120')
  const [until, setUntil] = useState(() => {
    const usual = wallClock(serverNow() + 120 * MINUTE_MS, zone)
    return { day: usual.slice(0, 10), time: usual.slice(11, 16) }
  })
  const [reason, setReason] = useState('')
  const [by, setBy] = useMyName()
  const [wasSubmitted, setSubmitted] = useState(false)
  const until_ms =
    length === '' ? fromWallClock(`${until.day} ${until.time}`, zone) : serverNow() + Number(length) * MINUTE_MS

  const problems = {
    matchers: matchersProblem(matchers),
    everything: matchers.length === 0 ? undefined : everythingProblem(matchers, isMeant),
    until: Number.isFinite(until_ms) && until_ms > serverNow() ? undefined : silencesCopy.futureTime,
    reason: reason.trim() === '' ? silencesCopy.reasonRequired : undefined,
    by: by.trim() === '' ? alertsCopy.nameRequired : undefined,
  }
  const shown: Partial<typeof problems> = wasSubmitted ? problems : {}
  const command = useAlertCommand(
    () => addSilence({ matchers, until_at: new Date(until_ms).toISOString(), reason: reason.trim(), by: by.trim() }),
    onClose,
  )

  function submit(event: FormEvent) {
    event.preventDefault()
    setSubmitted(true)
    if (Object.values(problems).every((problem) => problem === undefined)) command.mutate()
  }

  return (
    <FormDialog title={silencesCopy.add} size="lg" onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <p className="muted">{silencesCopy.windowText}</p>
          <MatchersInput
            matchers={matchers}
            onChange={setMatchers}
            none={silencesCopy.conditionRequired}
            problem={shown.matchers}
          />
          {matchers.length > 0 && (
            <MatchedNote matchers={matchers} isMeant={isMeant} onMean={setMeant} problem={shown.everything} />
          )}
          <NativeSelect
            label={alertsCopy.duration}
            data={LENGTHS}
            value={length}
            onChange={(event) => setLength(event.currentTarget.value)}
            description={Number.isFinite(until_ms) ? silencesCopy.endsAt(formatInstant(until_ms, zone)) : undefined}
          />
          {length === '' && (
            <div className="fitted start gap-12" style={leastWidth(150)}>
              <TextInput
                type="date"
                label={silencesCopy.until(zoneName(zone))}
                value={until.day}
                onChange={(event) => setUntil({ ...until, day: event.currentTarget.value })}
                error={shown.until}
              />
              <TimeOfDay
                label={silencesCopy.atTime}
                value={until.time}
                onChange={(time) => setUntil({ ...until, time })}
                error={undefined}
              />
            </div>
          )}
          <Textarea
            label={gapsCopy.reason}
            withAsterisk
            maxLength={1000}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            error={shown.reason}
            autosize
            minRows={2}
            data-autofocus
          />
          <TextInput
            label={alertsCopy.yourName}
            withAsterisk
            maxLength={200}
            value={by}
            onChange={(event) => setBy(event.currentTarget.value)}
            error={shown.by}
          />
          <Failure title={silencesCopy.saveFailed} error={command.error} />
          <Group justify="flex-end">
            <Button type="submit" loading={command.isPending}>
              {silencesCopy.silence}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormDialog>
  )
}

function matchersProblem(matchers: readonly Matcher[]): string | undefined {
  if (matchers.length === 0) return silencesCopy.conditionMissing
  return isHalf(matchers) ? silencesCopy.conditionIncomplete : undefined
}
