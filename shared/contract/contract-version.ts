// The date and phase of the contract, and the name of the product in headers.

export const CONTRACT_VERSION = '2026-09-17'
export const PHASE = 'laboratory'
export const PRODUCT = 'msgnet-gateway/0.1.0'
