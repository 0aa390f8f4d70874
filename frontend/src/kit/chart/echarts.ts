/** The parts of ECharts that Gavel draws with; everything else stays out of the bundle. */

import { CustomChart, LineChart, TreemapChart } from 'echarts/charts'
import { AriaComponent, GridComponent, TooltipComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'

use([LineChart, CustomChart, TreemapChart, GridComponent, TooltipComponent, AriaComponent, CanvasRenderer])

export { init }
