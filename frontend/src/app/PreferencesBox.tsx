import { Button, SegmentedControl, Stack } from '@mantine/core'
import { useSession } from '../api/session'
import * as navigationCopy from '../copy/navigation'
import { Beside } from '../kit/layout/Beside'
import type { BoxButton } from '../kit/layout/boxButton'
import { Icon } from '../kit/mark/Icon'
import { THEMES, type ThemeChoice, usePreferences } from '../lib/preferences'
import { type Zone, zoneName } from '../lib/time'
import styles from './Help.module.css'
import { SignOutEverywhere } from './SignOutEverywhere'
import { WallAddress } from './WallAddress'

interface PreferencesBoxProps {
  of: BoxButton
  label: string
  opened: boolean
  onChange: (opened: boolean) => void
  onHelp: () => void
}

export default function PreferencesBox({ onHelp, ...box }: PreferencesBoxProps) {
  const { themeChoice, setThemeChoice, zone, setZone } = usePreferences()
  const { isAdmin } = useSession()
  function help() {
    box.onChange(false)
    onHelp()
  }
  return (
    <Beside {...box} maw={340}>
      <Stack gap="sm">
        <div>
          <h3 className={styles.heading} id="theme-heading">
            {navigationCopy.theme}
          </h3>
          <SegmentedControl
            aria-labelledby="theme-heading"
            value={themeChoice}
            onChange={(value) => setThemeChoice(value as ThemeChoice)}
            data={THEMES.map((value) => ({ value, label: navigationCopy.THEME_WORDS[value] }))}
          />
        </div>
        <div>
          <h3 className={styles.heading} id="zone-heading">
            {navigationCopy.timeZone}
          </h3>
          <SegmentedControl
            aria-labelledby="zone-heading"
            value={zone}
            onChange={(value) => setZone(value as Zone)}
            data={[
              { value: 'utc', label: navigationCopy.utc },
              { value: 'local', label: navigationCopy.yourZone(zoneName('local')) },
            ]}
          />
        </div>
        <Button variant="default" leftSection={<Icon name="help" />} onClick={help}>
          {navigationCopy.helpAndKeys}
        </Button>
        {isAdmin && <WallAddress />}
        {isAdmin && <SignOutEverywhere />}
      </Stack>
    </Beside>
  )
}
