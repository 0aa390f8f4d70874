/** The frame around every page: header, menu, a note when the server is lost, and the page itself. */

import { ActionIcon } from '@mantine/core'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, memo, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { LiveProvider, OfflineProvider } from '../api/live'
import { OutageProvider } from '../api/outage'
import * as navigationCopy from '../copy/navigation'
import { Icon } from '../kit/mark/Icon'
import { standing } from '../kit/schedule/onPress'
import { ownAddress } from '../lib/base'
import { OFFLINE } from '../lib/offline'
import { usePageSubject } from '../lib/pageTitle'
import { useRange } from '../lib/url'
import { AddressNote } from './AddressNote'
import { FiringCount } from './FiringCount'
import styles from './Layout.module.css'
import { OutageNote } from './OutageNote'
import { PreferencesMenu } from './PreferencesMenu'
import { HOME, menuPath, PAGES } from './pages'
import { SearchBox } from './SearchBox'
import { SessionButton } from './SessionButton'
import { TimeControl } from './TimeControl'
import { useShortcuts } from './useShortcuts'

const Help = standing(async () => (await import('./Help')).default)
const OfflineNote = lazy(async () => await import('./OfflineNote'))
const MenuDrawer = standing(async () => (await import('./MenuDrawer')).default)

export function Layout() {
  const [isHelpOpen, setHelpOpen] = useState(false)
  const openHelp = useCallback(() => setHelpOpen(true), [])
  useTitle()
  return (
    <Following>
      <a href="#main" className={styles.skip}>
        {navigationCopy.skipToContent}
      </a>
      <div className={styles.shell}>
        <Header onHelp={openHelp} />
        <nav className={`${styles.nav} not-on-tablets`} aria-label={navigationCopy.pages}>
          <Menu />
        </nav>
        <main className={`${styles.main} column narrow`} id="main">
          {OFFLINE !== null && (
            <Suspense>
              <OfflineNote environment={OFFLINE} />
            </Suspense>
          )}
          <OutageProvider>
            <OutageNote />
            <AddressNote />
            <div className={`${styles.page} column narrow full`}>
              <Outlet />
            </div>
          </OutageProvider>
        </main>
      </div>
      <Shortcuts onHelp={openHelp} />
      <Help opened={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </Following>
  )
}

/** A window that stands still is not followed. */
function Following({ children }: { children: ReactNode }) {
  const [range] = useRange()
  if (OFFLINE !== null) return <OfflineProvider>{children}</OfflineProvider>
  return <LiveProvider frozen={range.kind === 'fixed'}>{children}</LiveProvider>
}

function Shortcuts({ onHelp }: { onHelp: () => void }) {
  useShortcuts(onHelp)
  return null
}

const Header = memo(function Header({ onHelp }: { onHelp: () => void }) {
  const [isMenuOpen, setMenuOpen] = useState(false)
  return (
    <header className={`${styles.header} row gap-10`}>
      <div className={`${styles.burger} relative inline on-tablets`}>
        <ActionIcon variant="default" size="lg" aria-label={navigationCopy.openMenu} onClick={() => setMenuOpen(true)}>
          <Icon name="burger" />
        </ActionIcon>
        <FiringCount />
      </div>
      <MenuDrawer opened={isMenuOpen} onClose={() => setMenuOpen(false)}>
        <Menu onChoose={() => setMenuOpen(false)} />
      </MenuDrawer>
      <Link to={HOME} className={`${styles.brand} inline-row ink gap-8`} aria-label={navigationCopy.home}>
        <img src={ownAddress('/favicon.svg')} alt="" width={20} height={20} />
        {navigationCopy.product}
      </Link>
      <div className={styles.search}>
        <SearchBox />
      </div>
      <div className={`${styles.controls} row gap-6`}>
        <TimeControl />
        <div className="row fixed gap-6">
          <SessionButton />
          <PreferencesMenu onHelp={onHelp} />
        </div>
      </div>
    </header>
  )
})

function Menu({ onChoose }: { onChoose?: () => void }) {
  return (
    <ul className="grid gap-2">
      {PAGES.filter((page) => page.menu).map((page) => (
        <li key={page.path}>
          <Link
            to={menuPath(page)}
            className="choice row muted medium gap-10"
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

function useTitle() {
  const title = useRouterState({ select: ({ matches }) => matches.at(-1)?.staticData.title })
  const subject = usePageSubject()
  useEffect(() => {
    const words = [subject, title].filter((one) => one !== null && one !== undefined)
    document.title = words.length > 0 ? navigationCopy.documentTitle(words.join(' · ')) : navigationCopy.product
  }, [title, subject])
}
