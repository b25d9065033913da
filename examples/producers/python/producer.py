"""Publishes a page view and a purchase with kafka-python, which is written in Python alone.

    pip install --requirement requirements.txt
    python producer.py localhost:9092 events shop.example
"""
import json
import sys
import time
import uuid

from kafka import KafkaProducer

brokers, topic, site = sys.argv[1:]
producer = KafkaProducer(
    bootstrap_servers=brokers.split(","),
    acks="all",  # footfall counts what the log holds. The leader alone may lose a record.
    enable_idempotence=True,  # A request that is sent again does not write its records twice.
)


def publish(event):
    event |= {
        "siteId": site,
        "timestamp": time.time_ns() // 1_000_000,
        "id": str(uuid.uuid4()),  # An event that you publish again, with the same id, counts once.
        "visitorId": "v-7f3a9c",
    }
    # The key keeps a site, and so each session, in one partition.
    return producer.send(topic, key=site.encode(), value=json.dumps(event).encode())


sent = [
    publish({"type": "page_view", "url": f"https://{site}/products/42", "title": "Blue kettle"}),
    publish({"type": "purchase", "url": f"https://{site}/checkout", "value": 39.9}),
]
producer.flush()
for answer in sent:
    answer.get()  # Raises what kept the event from the log.
producer.close()
