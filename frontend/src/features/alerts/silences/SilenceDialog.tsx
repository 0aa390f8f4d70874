/** Makes a silence: for what, until when, why, and who says so. */

import { Button, Group, Modal, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { addSilence } from '../../../api/alertCommands'
import { serverNow } from '../../../api/serverClock'
import type { Matcher } from '../../../api/types'
import { usePreferences } from '../../../lib/preferences'
import { formatInstant, fromWallClock, wallClock, zoneName } from '../../../lib/time'
import styles from '../Alerts.module.css'
import { Failure } from '../Failure'
import { useAlertCommand } from '../useAlertCommand'
import { useMyName } from '../useMyName'
import { everythingProblem, MatchedNote } from './MatchedNote'
import { MatchersInput } from './MatchersInput'
import { isHalf } from './matchers'
import { TimeOfDay } from './TimeOfDay'

const MINUTE_MS = 60_000
const LENGTHS = [
  { value: '30', label: '30 minutes' },
  { value: '60', label: '1 hour' },
  { value: '120', label: '2 hours' },
  { value: '480', label: '8 hours' },
  { value: '1440', label: '1 day' },
  { value: '10080', label: '7 days' },
  { value: '', label: 'until a time' },
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
    until: Number.isFinite(until_ms) && until_ms > serverNow() ? undefined : 'Choose a time to come.',
    reason: reason.trim() === '' ? 'Say why: others will wonder.' : undefined,
    by: by.trim() === '' ? 'Your name is needed.' : undefined,
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
    <Modal opened onClose={onClose} title="Add a silence" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <p className="muted">Alerts still fire and are shown; no message is sent about them.</p>
          <MatchersInput
            matchers={matchers}
            onChange={setMatchers}
            none="A silence needs at least one."
            problem={shown.matchers}
          />
          {matchers.length > 0 && (
            <MatchedNote matchers={matchers} isMeant={isMeant} onMean={setMeant} problem={shown.everything} />
          )}
          <NativeSelect
            label="For"
            data={LENGTHS}
            value={length}
            onChange={(event) => setLength(event.currentTarget.value)}
            description={Number.isFinite(until_ms) ? `Ends ${formatInstant(until_ms, zone)}` : undefined}
          />
          {length === '' && (
            <div className={styles.numbers}>
              <TextInput
                type="date"
                label={`Until (${zoneName(zone)})`}
                value={until.day}
                onChange={(event) => setUntil({ ...until, day: event.currentTarget.value })}
                error={shown.until}
              />
              <TimeOfDay
                label="At"
                value={until.time}
                onChange={(time) => setUntil({ ...until, time })}
                error={undefined}
              />
            </div>
          )}
          <Textarea
            label="Reason"
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
            label="Your name"
            withAsterisk
            maxLength={200}
            value={by}
            onChange={(event) => setBy(event.currentTarget.value)}
            error={shown.by}
          />
          <Failure title="Not silenced" error={command.error} />
          <Group justify="flex-end">
            <Button type="submit" loading={command.isPending}>
              Silence
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function matchersProblem(matchers: readonly Matcher[]): string | undefined {
  if (matchers.length === 0) return 'A silence without a condition would silence everything: add one.'
  return isHalf(matchers) ? 'Every condition needs a label and a pattern.' : undefined
}
