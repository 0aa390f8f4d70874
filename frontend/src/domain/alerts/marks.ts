/** The shapes of what an alert or a silence is doing, 12 × 12: they look like no severity's, so that neither is taken for the other. */

export const ALERT_SHAPES = {
  /** A bell. */
  firing:
    'M6 .6A3.7 3.7 0 0 0 2.3 4.3v2.8L1 8.9h10L9.7 7.1V4.3A3.7 3.7 0 0 0 6 .6zM4.4 9.8h3.2A1.6 1.6 0 0 1 6 11.4A1.6 1.6 0 0 1 4.4 9.8z',
  /** An arrow down. */
  recovering: 'M4.9 1h2.2v5.2h3.1L6 11L1.8 6.2h3.1z',
  /** A ring: not full yet. */
  waiting: 'M6 1A5 5 0 1 0 6 11A5 5 0 1 0 6 1zM6 2.8A3.2 3.2 0 1 1 6 9.2A3.2 3.2 0 1 1 6 2.8z',
  /** A line that breaks off. */
  no_data: 'M0 5h3.4v2H0zM4.6 5h1.6v2H4.6zM8 5h1v2H8z',
  /** A tick. */
  resolved: 'M1 6.4l1.6-1.6l2.2 2.2l4.7-4.9l1.6 1.6l-6.3 6.5z',
  /** Two bars: paused. */
  paused: 'M2.4 1.4h2.7v9.2H2.4zM6.9 1.4h2.7v9.2H6.9z',
} as const
