// The protobuf messages of the wire.
export { proto } from 'baileys/WAProto/index.js'
