/** The frame around every page: header, menu, banner when the server is lost, and the page itself. */

import { ActionIcon, Drawer } from '@mantine/core'
import { Link, Outlet, useMatches } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { LiveProvider, useLive } from '../api/live'
import { Icon } from '../components/Icon'
import { usePreferences } from '../lib/preferences'
import { formatClock } from '../lib/time'
import { useRange } from '../lib/url'
import { FiringCount } from './FiringCount'
import { Help } from './Help'
import styles from './Layout.module.css'
import { PreferencesMenu } from './PreferencesMenu'
import { HOME, menuPath, PAGES } from './pages'
import { SearchBox } from './SearchBox'
import { SessionButton } from './SessionButton'
import { TimeControl } from './TimeControl'
import { useShortcuts } from './useShortcuts'

export function Layout() {
  const [range] = useRange()
  const [isHelpOpen, setHelpOpen] = useState(false)
  useShortcuts(() => setHelpOpen(true))
  useTitle()
  return (
    <LiveProvider frozen={range.kind === 'fixed'}>
      <a href="#main" className={styles.skip}>
        Skip to the page
      </a>
      <div className={styles.shell}>
        <Header onHelp={() => setHelpOpen(true)} />
        <nav className={styles.nav} aria-label="Pages">
          <Menu />
        </nav>
        <main className={styles.main} id="main">
          <LostBanner />
          <div className={styles.page}>
            <Outlet />
          </div>
        </main>
      </div>
      <Help opened={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </LiveProvider>
  )
}

function Header({ onHelp }: { onHelp: () => void }) {
  const [isMenuOpen, setMenuOpen] = useState(false)
  return (
    <header className={styles.header}>
      <div className={styles.burger}>
        <ActionIcon variant="default" size="lg" aria-label="Open the menu" onClick={() => setMenuOpen(true)}>
          <Icon name="burger" />
        </ActionIcon>
        <FiringCount />
      </div>
      <Drawer
        opened={isMenuOpen}
        onClose={() => setMenuOpen(false)}
        title="Pages"
        size={260}
        closeButtonProps={{ 'aria-label': 'Close the menu' }}
      >
        <Menu onChoose={() => setMenuOpen(false)} />
      </Drawer>
      <Link to={HOME} className={styles.brand} aria-label="Gavel, to the overview">
        <img src="/favicon.svg" alt="" className={styles.logo} />
        Gavel
      </Link>
      <div className={styles.search}>
        <SearchBox />
      </div>
      <div className={styles.controls}>
        <TimeControl />
        <div className={styles.personal}>
          <SessionButton />
          <PreferencesMenu onHelp={onHelp} />
        </div>
      </div>
    </header>
  )
}

function Menu({ onChoose }: { onChoose?: () => void }) {
  return (
    <ul>
      {PAGES.filter((page) => page.menu).map((page) => (
        <li key={page.path}>
          <Link
            to={menuPath(page)}
            className={styles.link}
            onClick={onChoose}
            activeOptions={{ exact: page.path === HOME, includeSearch: false }}
          >
            {page.menu && <Icon name={page.menu.icon} size={18} />}
            {page.title}
            {page.menu?.counts === 'alerts' && <FiringCount />}
          </Link>
        </li>
      ))}
    </ul>
  )
}

function LostBanner() {
  const { downSince_ms } = useLive()
  const { zone } = usePreferences()
  if (downSince_ms === null) return null
  return (
    <div className={styles.banner} role="status">
      <Icon name="warning" />
      Live updates are interrupted since {formatClock(downSince_ms, zone, true)}. Gavel asks every 15 s instead and
      reconnects by itself.
    </div>
  )
}

function useTitle() {
  const title = useMatches().at(-1)?.staticData.title
  useEffect(() => {
    document.title = title ? `${title} · Gavel` : 'Gavel'
  }, [title])
}
