import '@fontsource-variable/inter/wght.css'
import './styles/tokens.css'
import './styles/mantine.css'
import './styles/base.css'
import './styles/shared.css'
import './styles/parts.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { shareNonce } from './app/nonce'
import { createQueryClient } from './app/queryClient'
import { createAppRouter } from './app/router'
import { takeSetupToken } from './app/setupToken'
import { notePageTime } from './lib/clock'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')

// Taken out of the address bar before anything else can read, log or share it.
const setupToken = takeSetupToken(window)

shareNonce()
// Before the router reads an address: its times are before now by the server's clock.
notePageTime(document.documentElement)

const client = createQueryClient()
const router = createAppRouter(client)
// The page's code and its first answers are on their way before the frame around it is drawn. What fails is shown by the page.
void router.load()

createRoot(root).render(
  <StrictMode>
    <App client={client} router={router} setupToken={setupToken} />
  </StrictMode>,
)
