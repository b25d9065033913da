import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Publishes a page view and a purchase with Kafka's own client, on Java 17 and later.
 *
 *   mvn dependency:copy-dependencies
 *   java -cp 'target/dependency/*' Producer.java localhost:9092 events shop.example
 */
public class Producer {
    public static void main(String[] args) throws Exception {
        String brokers = args[0], topic = args[1], site = args[2];
        Map<String, Object> settings = Map.of(
            "bootstrap.servers", brokers,
            "acks", "all", // footfall counts what the log holds. The leader alone may lose a record.
            "enable.idempotence", true); // A request that is sent again does not write its records twice.
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (String what : List.of("\"type\": \"page_view\", \"title\": \"Blue kettle\"", "\"type\": \"purchase\", \"value\": 39.9")) {
                // An event that you publish again, with the same id, counts once. Use a JSON library for texts that need escapes.
                String event = """
                    {"siteId": "%s", "timestamp": %d, "id": "%s", "visitorId": "v-7f3a9c", "url": "https://%s/products/42", %s}"""
                    .formatted(site, System.currentTimeMillis(), UUID.randomUUID(), site, what);
                // The key keeps a site, and so each session, in one partition. get throws what kept the event from the log.
                producer.send(new ProducerRecord<>(topic, site, event)).get();
            }
        }
    }
}
