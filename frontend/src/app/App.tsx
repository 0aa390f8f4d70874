import { MantineProvider } from '@mantine/core'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { SessionProvider, useSession } from '../api/session'
import { standing } from '../kit/schedule/onPress'
import { Tip } from '../kit/text/Tip'
import { PreferencesProvider, usePreferences } from '../lib/preferences'
import { pageNonce } from './nonce'
import type { AppRouter } from './router'
import { cssVariablesResolver, theme } from './theme'

const SignInDialog = standing(async () => (await import('./SignInDialog')).default)

interface AppProps {
  client: QueryClient
  router: AppRouter
  setupToken: string | null
}

export function App({ client, router, setupToken }: AppProps) {
  return (
    <PreferencesProvider>
      <Themed>
        <QueryClientProvider client={client}>
          <SessionProvider>
            <RouterProvider router={router} />
            <SignIn setupToken={setupToken} />
            <Tip />
          </SessionProvider>
        </QueryClientProvider>
      </Themed>
    </PreferencesProvider>
  )
}

function Themed({ children }: { children: React.ReactNode }) {
  const { theme: chosen } = usePreferences()
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      forceColorScheme={chosen === 'light' ? 'light' : 'dark'}
      getStyleNonce={pageNonce}
      withGlobalClasses={false}
    >
      {children}
    </MantineProvider>
  )
}

/** A setup token is spent by the dialog as soon as that has its code. */
function SignIn({ setupToken }: { setupToken: string | null }) {
  const { isDialogOpen, openDialog } = useSession()
  const isBrought = useRef(setupToken !== null)
  useEffect(() => {
    if (isBrought.current) openDialog()
    isBrought.current = false
  }, [openDialog])
  return <SignInDialog opened={isDialogOpen} setupToken={setupToken} />
}
