import '@fontsource-variable/inter/wght.css'
import './styles/tokens.css'
import './styles/mantine.css'
import './styles/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { shareNonce } from './app/nonce'
import { takeSetupToken } from './app/setupToken'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')

// Taken out of the address bar before anything else can read, log or share it.
const setupToken = takeSetupToken(window)

shareNonce()

createRoot(root).render(
  <StrictMode>
    <App setupToken={setupToken} />
  </StrictMode>,
)
