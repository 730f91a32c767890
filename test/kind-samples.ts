// A message of each kind that the network has, in the JSON form of its field, and what its record says.

import {
  AT,
  BYTES,
  cover,
  file,
  fileContent,
  hello,
  type KindSample,
  media,
  nothing,
  poll,
  pollRecord,
  TARGET,
} from './kind-sample-parts.ts'
import { laterSamples } from './later-kind-samples.ts'

export type { KindSample } from './kind-sample-parts.ts'

/** By the field of the message. */
export const kindSamples: Record<string, KindSample> = {
  conversation: { fields: 'Hello', record: { type: 'text', text: 'Hello', content: { text: 'Hello' } } },
  senderKeyDistributionMessage: nothing,
  imageMessage: {
    fields: { ...file, caption: 'The menu' },
    record: { ...media('image'), text: 'The menu', content: { ...fileContent, caption: 'The menu' } },
  },
  contactMessage: {
    fields: { displayName: 'Ben', vcard: 'BEGIN:VCARD' },
    record: { type: 'contact', text: 'Ben', content: { contacts: [{ name: 'Ben', vcard: 'BEGIN:VCARD' }] } },
  },
  locationMessage: {
    fields: { degreesLatitude: -23.5, degreesLongitude: -46.5, name: 'Market', url: 'https://place.example' },
    record: {
      type: 'location',
      text: 'Market',
      content: {
        latitude: -23.5,
        longitude: -46.5,
        name: 'Market',
        address: '',
        url: 'https://place.example',
      },
    },
  },
  extendedTextMessage: {
    fields: {
      text: 'See https://shop.example',
      matchedText: 'https://shop.example',
      title: 'Shop',
      description: 'Open at nine',
    },
    record: {
      type: 'text',
      text: 'See https://shop.example',
      content: {
        text: 'See https://shop.example',
        matchedText: 'https://shop.example',
        title: 'Shop',
        description: 'Open at nine',
      },
    },
  },
  documentMessage: {
    fields: { ...file, fileName: 'menu.pdf' },
    record: media('document', { fileName: 'menu.pdf' }),
  },
  audioMessage: { fields: { ...file, ptt: true, seconds: 3 }, record: media('ptt', { seconds: 3 }) },
  videoMessage: { fields: { ...file, gifPlayback: true }, record: media('video', { gifPlayback: true }) },
  call: {
    fields: { conversionSource: 'ctwa', conversionDelaySeconds: 7 },
    record: { type: 'other', text: '', content: { source: 'ctwa', delaySeconds: 7 } },
  },
  chat: nothing,
  protocolMessage: {
    fields: { key: TARGET, type: 'REVOKE' },
    record: { type: 'delete', text: '', target: 'TARGET', content: {} },
  },
  contactsArrayMessage: {
    fields: { displayName: '1 contact', contacts: [{ displayName: 'Ben', vcard: 'BEGIN:VCARD' }] },
    record: {
      type: 'contact',
      text: '1 contact',
      content: { contacts: [{ name: 'Ben', vcard: 'BEGIN:VCARD' }] },
    },
  },
  highlyStructuredMessage: {
    fields: { hydratedHsm: { hydratedTemplate: { hydratedContentText: 'Your code' } } },
    record: { type: 'menu', text: 'Your code', content: { text: 'Your code', choices: [] } },
  },
  fastRatchetKeySenderKeyDistributionMessage: nothing,
  sendPaymentMessage: {
    fields: { noteMessage: hello, requestMessageKey: TARGET },
    record: {
      type: 'other',
      text: 'Hello',
      target: 'TARGET',
      content: { payment: 'sent', note: 'Hello', target: 'TARGET' },
    },
  },
  liveLocationMessage: {
    fields: { degreesLatitude: 1, degreesLongitude: 2, caption: 'On my way' },
    record: {
      type: 'location',
      text: 'On my way',
      content: { latitude: 1, longitude: 2, name: '', address: '' },
    },
  },
  requestPaymentMessage: {
    fields: {
      noteMessage: hello,
      amount: { value: 2550, offset: 100, currencyCode: 'BRL' },
      requestFrom: '5511900000001@s.whatsapp.net',
      expiryTimestamp: AT,
    },
    record: {
      type: 'other',
      text: 'Hello',
      content: {
        payment: 'requested',
        note: 'Hello',
        amount: 25.5,
        currency: 'BRL',
        from: '5511900000001@s.msgnet.net',
        expiresAt: AT * 1000,
      },
    },
  },
  declinePaymentRequestMessage: {
    fields: { key: TARGET },
    record: {
      type: 'other',
      text: '',
      target: 'TARGET',
      content: { payment: 'declined', target: 'TARGET' },
    },
  },
  cancelPaymentRequestMessage: {
    fields: { key: TARGET },
    record: {
      type: 'other',
      text: '',
      target: 'TARGET',
      content: { payment: 'cancelled', target: 'TARGET' },
    },
  },
  templateMessage: {
    fields: { hydratedTemplate: { hydratedContentText: 'Order placed' } },
    record: { type: 'menu', text: 'Order placed', content: { text: 'Order placed', choices: [] } },
  },
  stickerMessage: { fields: { ...file, isAnimated: true }, record: media('sticker', { isAnimated: true }) },
  groupInviteMessage: {
    fields: {
      groupJid: '120363000000000001@g.us',
      inviteCode: 'Abc',
      inviteExpiration: AT,
      groupName: 'Regulars',
      caption: 'Join us',
    },
    record: {
      type: 'other',
      text: 'Join us',
      content: {
        group: '120363000000000001@g.us',
        groupName: 'Regulars',
        code: 'Abc',
        expiresAt: AT * 1000,
        caption: 'Join us',
      },
    },
  },
  templateButtonReplyMessage: {
    fields: { selectedId: 'yes', selectedDisplayText: 'Yes' },
    record: { type: 'text', text: 'Yes', content: { selectedID: 'yes', selectedDisplayText: 'Yes' } },
  },
  productMessage: {
    fields: {
      product: { productId: 'p1', title: 'Bread', currencyCode: 'BRL', priceAmount1000: 5000 },
    },
    record: {
      type: 'menu',
      text: 'Bread\nBRL 5.00',
      content: { text: 'BRL 5.00', title: 'Bread', choices: [{ id: 'p1', text: 'Bread' }] },
    },
  },
  deviceSentMessage: cover(),
  messageContextInfo: nothing,
  listMessage: {
    fields: {
      description: 'Choose',
      buttonText: 'Open',
      sections: [{ rows: [{ rowId: 'a', title: 'A' }] }],
    },
    record: {
      type: 'menu',
      text: 'Choose',
      content: { text: 'Choose', button: 'Open', choices: [{ id: 'a', text: 'A' }] },
    },
  },
  viewOnceMessage: cover(),
  orderMessage: {
    fields: {
      orderId: 'o1',
      itemCount: 2,
      status: 'ACCEPTED',
      message: 'Two breads',
      orderTitle: 'Bakery',
      sellerJid: '5511900000001@s.whatsapp.net',
      token: 'tok',
      totalAmount1000: 12500,
      totalCurrencyCode: 'BRL',
    },
    record: {
      type: 'other',
      text: 'Two breads',
      content: {
        orderId: 'o1',
        itemCount: 2,
        total: 12.5,
        currency: 'BRL',
        title: 'Bakery',
        status: 'accepted',
        seller: '5511900000001@s.msgnet.net',
        token: 'tok',
      },
    },
  },
  listResponseMessage: {
    fields: { title: 'A', singleSelectReply: { selectedRowId: 'a' } },
    record: {
      type: 'text',
      text: 'A',
      content: { selectedID: 'a', selectedDisplayText: 'A', title: 'A' },
    },
  },
  ephemeralMessage: cover(),
  invoiceMessage: {
    fields: { note: 'For July', token: 'tok', attachmentType: 'PDF', attachmentMimetype: 'application/pdf' },
    record: {
      type: 'other',
      text: 'For July',
      content: { note: 'For July', attachment: 'pdf', token: 'tok', mimetype: 'application/pdf' },
    },
  },
  buttonsMessage: {
    fields: { contentText: 'Ready?', buttons: [{ buttonId: 'y', buttonText: { displayText: 'Yes' } }] },
    record: {
      type: 'menu',
      text: 'Ready?',
      content: { text: 'Ready?', choices: [{ id: 'y', text: 'Yes' }] },
    },
  },
  buttonsResponseMessage: {
    fields: { selectedButtonId: 'y', selectedDisplayText: 'Yes' },
    record: { type: 'text', text: 'Yes', content: { selectedID: 'y', selectedDisplayText: 'Yes' } },
  },
  paymentInviteMessage: {
    fields: { serviceType: 'UPI', expiryTimestamp: AT },
    record: {
      type: 'other',
      text: '',
      content: { payment: 'invited', service: 'upi', expiresAt: AT * 1000 },
    },
  },
  interactiveMessage: {
    fields: {
      nativeFlowMessage: {
        buttons: [
          {
            name: 'payment_info',
            buttonParamsJson: JSON.stringify({
              currency: 'BRL',
              total_amount: { value: 2500, offset: 100 },
              reference_id: 'r1',
              payment_settings: [
                {
                  type: 'pix_static_code',
                  pix_static_code: { merchant_name: 'Bakery', key: 'pay@bakery.example', key_type: 'EMAIL' },
                },
              ],
            }),
          },
        ],
      },
    },
    record: {
      type: 'menu',
      text: 'Bakery\npay@bakery.example',
      content: {
        text: '',
        choices: [{ id: '', text: '', name: 'payment_info' }],
        payment: {
          flow: 'payment_info',
          reference: 'r1',
          currency: 'BRL',
          total: 25,
          pix: { merchantName: 'Bakery', key: 'pay@bakery.example', keyType: 'EMAIL' },
        },
      },
    },
  },
  reactionMessage: {
    fields: { key: TARGET, text: '👍' },
    record: { type: 'reaction', text: '👍', reaction: 'TARGET', content: {} },
  },
  stickerSyncRmrMessage: nothing,
  interactiveResponseMessage: {
    fields: {
      body: { text: 'Yes' },
      nativeFlowResponseMessage: { name: 'quick_reply', paramsJson: '{"id":"y"}' },
    },
    record: {
      type: 'text',
      text: 'Yes',
      content: { selectedID: 'y', selectedDisplayText: 'Yes', name: 'quick_reply' },
    },
  },
  pollCreationMessage: { fields: poll, record: pollRecord },
  pollUpdateMessage: {
    fields: { pollCreationMessageKey: TARGET, vote: { encPayload: BYTES, encIv: BYTES } },
    record: { type: 'vote', text: '', target: 'TARGET', content: {} },
  },
  ...laterSamples,
}
