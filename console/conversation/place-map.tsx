// Apart from drawn-kinds.tsx, because it is a map: the land of the world in dots, and a mark on a place of it.

/** Cells of five degrees, rows from 80° north to 55° south, nine bytes each: from the land of Natural Earth, which is in the public domain. */
const LAND =
  'AAFz/wEAAYAAAB54fwAAL/yAP/////4cAAAAH//WMAf/////CH/PAAb///8YAD//gDf///+QAB/+AB////8AAB/8AD/P//yAAB/4ADB///UAAA/wAD6f//AAAAeQAH////AAAAGAAH/vP+AAAAHgAH/+GcAAAAAgAH/8EMgAAAAPAH/8AAAAAAAPwAP4ALAAAAAP4APwAKMAAAAP+APwAADAAAAP+APwAAIAAAAH8AP0AA+AAAAD8AHkAB/AAAADwAHgAB/gAAADwADAABngAAAHgAAAAADAAAAGAAAAAAACAAAGAAAAAAAAAAAEAAAAAAAA'
const CELL = 5
const COLUMNS = 360 / CELL
const NORTH = 80
const ROWS = 27

/** Each dot is a line without length, with round ends. */
function drawLand(): string {
  const bytes = atob(LAND)
  const isLand = (cell: number) => (bytes.charCodeAt(cell >> 3) >> (7 - (cell % 8))) & 1
  return Array.from({ length: COLUMNS * ROWS }, (_, cell) =>
    isLand(cell) ? `M${(cell % COLUMNS) + 0.5} ${Math.floor(cell / COLUMNS) + 0.5}h0` : '',
  ).join('')
}

let land = ''

/** In degrees. A place beyond the rows is marked at the edge. */
export function PlaceMap({ latitude, longitude }: { latitude: number; longitude: number }) {
  land ||= drawLand()
  const row = Math.min(ROWS, Math.max(0, (NORTH - latitude) / CELL))
  return (
    <svg class="place-map" viewBox={`0 0 ${COLUMNS} ${ROWS}`} aria-hidden="true">
      <path d={land} />
      <circle cx={(longitude + 180) / CELL} cy={row} r="1.6" />
    </svg>
  )
}
