// Publishes a page view and a purchase with KafkaJS, which is written in JavaScript alone and runs on Node.js 14 and later.
//
//   npm install
//   node producer.js localhost:9092 events shop.example
const { randomUUID } = require('node:crypto')
const { Kafka } = require('kafkajs')

async function main(brokers, topic, site) {
  const kafka = new Kafka({ brokers: brokers.split(',') })
  // A request that is sent again does not write its records twice. KafkaJS promises that for one request at a time.
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 })
  await producer.connect()
  const publish = (event) => {
    // An event that you publish again, with the same id, counts once.
    const value = { siteId: site, timestamp: Date.now(), id: randomUUID(), visitorId: 'v-7f3a9c', ...event }
    return producer.send({
      topic,
      acks: -1, // All replicas: footfall counts what the log holds. The leader alone may lose a record.
      messages: [{ key: site, value: JSON.stringify(value) }], // The key keeps a site, and so each session, in one partition.
    })
  }
  try {
    await publish({ type: 'page_view', url: `https://${site}/products/42`, title: 'Blue kettle' })
    await publish({ type: 'purchase', url: `https://${site}/checkout`, value: 39.9 })
  } finally {
    await producer.disconnect()
  }
}

main(...process.argv.slice(2)).catch((error) => {
  console.error(error)
  process.exitCode = 1
})
