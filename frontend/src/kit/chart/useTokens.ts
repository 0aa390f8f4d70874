import { type ChartTokens, chartTokens } from '../../charts/tokens'
import { type Theme, usePreferences } from '../../lib/preferences'

/** The chart colors of the theme in force. */
export function useTokens(): ChartTokens {
  const { theme } = usePreferences()
  const tokens = known.get(theme) ?? readTokens(theme)
  known.set(theme, tokens)
  return tokens
}

// Reading them makes the browser work out the styles of all that is new on the page: once for each theme.
const known = new Map<Theme, ChartTokens>()

// The attribute is set by an effect of the provider, which runs after this render: set it first, then read.
function readTokens(theme: Theme): ChartTokens {
  document.documentElement.dataset.theme = theme
  const style = getComputedStyle(document.documentElement)
  return chartTokens((variable) => style.getPropertyValue(variable))
}
