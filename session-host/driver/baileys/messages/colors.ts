// Converts colors to and from the opaque ARGB number that phones use.

/** `color` is `#rrggbb`. */
export const toArgb = (color: string): number => 0xff_00_00_00 + Number.parseInt(color.slice(1), 16)

export const toHexColor = (argb: number): string => `#${(argb & 0xff_ff_ff).toString(16).padStart(6, '0')}`
