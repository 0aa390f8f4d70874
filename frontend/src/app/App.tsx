import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useState } from 'react'
import { SessionProvider } from '../api/session'
import { PreferencesProvider, usePreferences } from '../lib/preferences'
import { pageNonce } from './nonce'
import { createQueryClient } from './queryClient'
import { createAppRouter } from './router'
import { SignInDialog } from './SignInDialog'
import { cssVariablesResolver, theme } from './theme'

export function App({ setupToken }: { setupToken: string | null }) {
  const [client] = useState(createQueryClient)
  const [router] = useState(createAppRouter)
  return (
    <PreferencesProvider>
      <Themed>
        <QueryClientProvider client={client}>
          <SessionProvider>
            <RouterProvider router={router} />
            <SignInDialog setupToken={setupToken} />
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
