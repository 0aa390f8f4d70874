/** Theme, time zone and help: what belongs to the viewer; for the admin, the way to wall screens. */

import { ActionIcon, Button, Popover, SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import { useSession } from '../api/session'
import { Icon } from '../components/Icon'
import { THEMES, type ThemeChoice, usePreferences } from '../lib/preferences'
import { type Zone, zoneName } from '../lib/time'
import styles from './Help.module.css'
import { WallAddress } from './WallAddress'

const THEME_WORDS: Record<ThemeChoice, string> = { auto: 'Auto', dark: 'Dark', light: 'Light', contrast: 'Contrast' }

export function PreferencesMenu({ onHelp }: { onHelp: () => void }) {
  const { themeChoice, setThemeChoice, zone, setZone } = usePreferences()
  const [isOpen, setOpen] = useState(false)
  const { isAdmin } = useSession()
  function help() {
    setOpen(false)
    onHelp()
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" shadow="lg" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon variant="default" size="lg" aria-label="Theme, time zone and help" onClick={() => setOpen(!isOpen)}>
          <Icon name="settings" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="Theme, time zone and help" maw={340}>
        <Stack gap="sm">
          <div>
            <h3 className={styles.heading} id="theme-heading">
              Theme
            </h3>
            <SegmentedControl
              aria-labelledby="theme-heading"
              value={themeChoice}
              onChange={(value) => setThemeChoice(value as ThemeChoice)}
              data={THEMES.map((value) => ({ value, label: THEME_WORDS[value] }))}
            />
          </div>
          <div>
            <h3 className={styles.heading} id="zone-heading">
              Times in
            </h3>
            <SegmentedControl
              aria-labelledby="zone-heading"
              value={zone}
              onChange={(value) => setZone(value as Zone)}
              data={[
                { value: 'utc', label: 'UTC' },
                { value: 'local', label: `Your zone (${zoneName('local')})` },
              ]}
            />
          </div>
          <Button variant="default" leftSection={<Icon name="help" />} onClick={help}>
            Help and keys
          </Button>
          {isAdmin && <WallAddress />}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
