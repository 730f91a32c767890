// How this device names itself to the network.

import { defaultDevice, type Platform } from '@msgnet/shared/device-settings.ts'
import { getCompanionPlatformId, proto } from 'baileys'

/** `name` is shown on the phone with the program: a system, or a name of the operator's. */
export interface DeviceLabel {
  name: string
  platform: Platform
}

/** Systems that the network accepts in the name sent for a pairing code. */
const systems = ['Windows', 'Mac OS', 'Linux', 'Ubuntu', 'Chrome OS']

/** The library's `browser`: the third part is not sent. */
export const toBrowser = ({ name, platform }: DeviceLabel): [string, string, string] => [name, platform, '']

/** As the device's registration has it. */
export const toPlatformType = ({ platform }: DeviceLabel): proto.DeviceProps.PlatformType =>
  proto.DeviceProps.PlatformType[platform.toUpperCase() as Uppercase<Platform>]

export const toPlatformId = (device: DeviceLabel): string => getCompanionPlatformId(toBrowser(device))

/** With a QR code the network accepts any name, with a pairing code only those that it knows. */
export const toPairingCodeName = ({ name, platform }: DeviceLabel): string =>
  `${platform} (${systems.includes(name) ? name : defaultDevice.name})`
