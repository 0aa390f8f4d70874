/** A handful of line icons, drawn on a 20-unit grid; decorative, the words are beside them. */

const PATHS = {
  alert: 'M5 14V9a5 5 0 0110 0v5l1.5 1h-13zM8.5 17.5h3M10 2.5V4',
  array: 'M3 5h14v4H3zM3 11h14v4H3zM6 7h.01M6 13h.01',
  burger: 'M3 6h14M3 10h14M3 14h14',
  chart: 'M3 16h14M5 13l3-4 3 2 4-6',
  check: 'M4 10.5l4 4 8-9',
  clock: 'M10 3a7 7 0 100 14 7 7 0 000-14zM10 6v4l3 2',
  copy: 'M7 7V4h9v9h-3M4 7h9v9H4z',
  cross: 'M5 5l10 10M15 5L5 15',
  datastore:
    'M4 5.5C4 4 7 3 10 3s6 1 6 2.5S13 8 10 8 4 7 4 5.5zM4 5.5v9C4 16 7 17 10 17s6-1 6-2.5v-9M4 10c0 1.5 3 2.5 6 2.5s6-1 6-2.5',
  down: 'M5 8l5 5 5-5',
  download: 'M10 3v9M6 9l4 4 4-4M4 16h12',
  filter: 'M3 5h14M6 10h8M9 15h2',
  finding: 'M5 3h10v14H5zM8 7h4M8 10h4M8 13h2',
  frozen: 'M7 5v10M13 5v10',
  group: 'M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z',
  help: 'M7.5 7.5a2.5 2.5 0 115 0c0 2-2.5 2-2.5 4M10 14.5h.01M10 3a7 7 0 100 14 7 7 0 000-14z',
  host: 'M4 4h12v5H4zM4 11h12v5H4zM7 6.5h.01M7 13.5h.01M11 6.5h3M11 13.5h3',
  left: 'M12 5l-5 5 5 5',
  link: 'M8.5 11.5l3-3M7 9l-2 2a2.8 2.8 0 004 4l2-2M13 11l2-2a2.8 2.8 0 00-4-4L9 7',
  lock: 'M6 9V7a4 4 0 018 0v2M5 9h10v8H5z',
  minus: 'M5 10h10',
  plus: 'M10 4v12M4 10h12',
  right: 'M8 5l5 5-5 5',
  search: 'M9 4a5 5 0 100 10A5 5 0 009 4zM13 13l4 4',
  settings: 'M4 6h6M14 6h2M4 14h2M10 14h6M12 4v4M8 12v4',
  source: 'M10 3v4M10 13v4M3 10h4M13 10h4M10 7a3 3 0 100 6 3 3 0 000-6z',
  table: 'M3 4h14v12H3zM3 8h14M8 8v8',
  overview: 'M3 16h14M5 13V9M9 13V4M13 13v-3M17 13V7',
  vm: 'M3 4h14v9H3zM7 16h6M10 13v3',
  volume: 'M4 4h12v12H4zM4 12h12M13 14h.01',
  wall: 'M3 4h14v10H3zM3 9h14M10 4v10M7 17h6',
  warning: 'M10 3.5l7.5 13h-15zM10 8v4M10 14h.01',
  zoomOut: 'M9 4a5 5 0 100 10A5 5 0 009 4zM13 13l4 4M7 9h4',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
