import { MantineProvider } from '@mantine/core'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { SessionProvider } from '../api/session'
import { Tip } from '../components/Tip'
import { PreferencesProvider, usePreferences } from '../lib/preferences'
import { pageNonce } from './nonce'
import type { AppRouter } from './router'
import { SignInDialog } from './SignInDialog'
import { cssVariablesResolver, theme } from './theme'

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
            <SignInDialog setupToken={setupToken} />
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
