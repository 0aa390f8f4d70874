// The chunks of the built pages: which modules are served together.
// Every pattern starts at this folder, because the folders above it can have any name: `src`, `node_modules`, `kit`.

// Lists and the overview have columns to choose, which tables of object pages do not.
const LISTS =
  '(domain/(lists/(ListPage|listColumns|standing|Spark|Standing)|filters/(Fil|fields|use))|kit/table/(Column|SaveTable|column|useColumn))'
// What stands around a chart comes with charts, which no page needs first.
const CHARTS = '(charts/numbers|kit/chart/(Legend|lineWords|NumbersView))'
// Dialogs that open when something is pressed share it; no page needs it first.
const DIALOGS = 'kit/form/FormDialog'
// Panels over time are drawn by charts alone.
const PANELS = 'charts/(bands|gaps|hatch|limits|missing|timePanels|tooltip)[.]ts'
// The frame of objects' pages: five pages share it, and no other needs it.
const OBJECTS = 'domain/(cause|diagnosis/Diagnosis|object/ObjectPage|sections/(ObjectTabs|registry|section))'
const FRAME_BOXES = 'app/(Help|Glossary|MenuDrawer|PreferencesBox|SearchHits|SignInDialog|TimeBox)[.]tsx$'

const mantine = (parts: string) => `@mantine/core/esm/components/(${parts})/`

/** Groups of Rolldown's `codeSplitting` for the front end in the folder `root`, an absolute real path. */
export function chunkGroups(root: string) {
  const start = root.replace(/[\\/]+$/, '').replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  const below = (...paths: string[]) => new RegExp(`^${start}/(${paths.join('|')})`.replaceAll('/', '[\\\\/]'))
  const packages = (path: string) => `node_modules/${path}`
  const sources = (path: string) => `src/${path}`
  return [
    // What both the charts and the frame need (tslib) must not drag the charts into the first load.
    { name: 'base', test: below(packages('(react|react-dom|scheduler|tslib)/')), priority: 5 },
    { name: 'echarts', test: below(packages('(echarts|zrender)/')), priority: 4 },
    // What is needed together is one piece: dozens of small ones take longer to ask for than to read. First the frame,
    // then tables, what at least five pages or charts are made of, and last what opens when it is pressed: over any page,
    // and from the frame.
    { name: 'frame', tags: ['$initial' as const], priority: 3 },
    { name: 'tables', test: below(packages('@tanstack/'), sources(`(?!${LISTS})kit/table`)), priority: 2 },
    {
      name: 'common',
      test: below(sources(`(?!${OBJECTS}|${LISTS}|${CHARTS}|${DIALOGS}|${PANELS})`)),
      minShareCount: 5,
      priority: 1,
    },
    {
      name: 'fields',
      test: below(packages(mantine('Input|InputBase|InputsGroupFieldset|NativeSelect|TextInput|CloseButton'))),
      priority: 1,
    },
    { name: 'panels', test: below(sources(PANELS)) },
    { name: 'objects', test: below(sources(OBJECTS)) },
    { name: 'switches', test: below(packages(mantine('Switch|InlineInput'))), priority: 1 },
    {
      name: 'boxes',
      test: below(packages(mantine('Combobox|Drawer|Modal|ModalBase|Popover|ScrollArea')), sources(DIALOGS)),
    },
    { name: 'frame-boxes', test: below(sources(FRAME_BOXES)) },
  ]
}
