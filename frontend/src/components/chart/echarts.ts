/** The parts of ECharts that Gavel draws with; everything else stays out of the bundle. */

import { CustomChart, LineChart, TreemapChart } from 'echarts/charts'
import {
  AriaComponent,
  AxisPointerComponent,
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
} from 'echarts/components'
import { init, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'

use([
  LineChart,
  CustomChart,
  TreemapChart,
  GridComponent,
  TooltipComponent,
  AxisPointerComponent,
  MarkLineComponent,
  AriaComponent,
  CanvasRenderer,
])

export { init }
